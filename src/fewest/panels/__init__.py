"""Judge any panel: its error, what each feature adds, other panels; or turn it into points."""

from fewest.panels._points import points_score
from fewest.panels._points_result import PointsScore
from fewest.panels._report import panel_report
from fewest.panels._result import PanelReport
from fewest.panels._statements import FeatureStatement, FeatureStatements, feature_statements

__all__ = [
    "FeatureStatement",
    "FeatureStatements",
    "PanelReport",
    "PointsScore",
    "feature_statements",
    "panel_report",
    "points_score",
]
