"""fewest: the fewest features that tell classes apart."""

from fewest.exceptions import NotSeparableError
from fewest.sfm import SupportFeatureMachine

__version__ = "0.1.0"

__all__ = ["NotSeparableError", "SupportFeatureMachine", "__version__"]
