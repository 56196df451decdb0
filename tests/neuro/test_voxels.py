"""FewestVoxels does what nilearn's masker and a machine do by hand, and its maps say so."""

import nibabel
import numpy as np
import pytest
from nilearn.image import index_img, smooth_img
from nilearn.maskers import NiftiMasker
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fewest import (
    AccumulatedClassifier,
    FeatureSelectionConcave,
    Liknon,
    LiknonCV,
    PotentialSVC,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
)
from fewest._estimators.abilities import selection_of
from fewest._estimators.probabilities import fit_temperature, pair_scores
from fewest._estimators.splits import balanced_error, fit_with_groups
from fewest.imaging import downsample, downsampled_mask
from fewest.informative import informative_features
from fewest.neuro import FewestVoxels
from fewest.neuro._figures import draw_maps
from fewest.neuro._tables import list_voxels


def by_hand(scans):
    return NiftiMasker(scans.mask, standardize=None, reports=False).fit().transform(scans.images)


def in_mask(scans, image):
    return image.get_fdata()[scans.brain.mask]


def errors_by_hand(estimator, X, y, folds):
    errors, supports = [], []
    for train, test in folds:
        machine = clone(estimator).fit(X[train], y[train])
        errors.append(balanced_error(y[test], machine.predict(X[test])))
        supports.append(machine.support_)
    return np.array(errors), np.array(supports)


@pytest.fixture(scope="module")
def fitted(scans):
    return FewestVoxels(mask=scans.mask).fit(scans.images, scans.y, groups=scans.groups)


def test_same_as_masker_and_machine_by_hand(scans, fitted):
    X = by_hand(scans)
    machine = SupportFeatureMachine().fit(X, scans.y)
    np.testing.assert_array_equal(in_mask(scans, fitted.coef_img_), machine.coef_[0])
    np.testing.assert_array_equal(in_mask(scans, fitted.support_img_), machine.support_)
    np.testing.assert_array_equal(fitted.predict(scans.images), machine.predict(X))
    np.testing.assert_array_equal(
        fitted.decision_function(scans.images), machine.decision_function(X)
    )
    assert fitted.score(scans.images, scans.y) == machine.score(X, scans.y)
    np.testing.assert_array_equal(fitted.transform(scans.images), machine.transform(X))
    np.testing.assert_array_equal(fitted.classes_, ["left", "right"])
    assert fitted.n_elements_ == fitted.n_features_ == 600


def test_same_folds_as_by_hand(scans, fitted):
    X = by_hand(scans)
    folds = list(LeaveOneGroupOut().split(X, scans.y, scans.groups))
    errors, supports = errors_by_hand(SupportFeatureMachine(), X, scans.y, folds)
    np.testing.assert_array_equal(fitted.cv_results_["balanced_error"], errors)
    np.testing.assert_array_equal(fitted.cv_results_["n_features"], supports.sum(axis=1))
    np.testing.assert_array_equal(fitted.cv_results_["left_out"], list("012345"))
    np.testing.assert_array_equal(in_mask(scans, fitted.consistency_img_), supports.sum(axis=0))
    assert fitted.error_ == pytest.approx(errors.mean())  # participants have equally many maps
    assert fitted.error_sd_ == pytest.approx(errors.std(ddof=1))


def test_probabilities_from_the_folds(scans, fitted):
    X = by_hand(scans)
    codes, decisions = (scans.y == "right").astype(int), np.empty(len(scans.y))
    for train, test in LeaveOneGroupOut().split(X, scans.y, scans.groups):
        machine = SupportFeatureMachine().fit(X[train], scans.y[train])
        decisions[test] = machine.decision_function(X[test])
    wanted = fit_temperature(pair_scores(decisions), codes)
    assert fitted.temperature_ == pytest.approx(wanted, rel=1e-3)
    shares = fitted.predict_proba(scans.images)
    risk = 1.0 / (1.0 + np.exp(-fitted.decision_function(scans.images) / fitted.temperature_))
    np.testing.assert_allclose(shares, np.column_stack([1.0 - risk, risk]), atol=1e-12)


def test_ranking_counts_repetitions(scans, fitted):
    X = by_hand(scans)
    selector = RepetitiveSelector(SupportFeatureMachine(), n_subsets=10).fit(X, scans.y)
    ranking = in_mask(scans, fitted.ranking_img_)
    for repetition, subset in enumerate(selector.subsets_, start=1):
        np.testing.assert_array_equal(np.flatnonzero(ranking == repetition), subset)
    assert np.count_nonzero(ranking) == selector.support_.sum()
    first = in_mask(scans, fitted.support_img_)
    np.testing.assert_array_equal(ranking == 1, first == 1)


def test_maps_are_on_the_grid_of_the_images(scans, fitted):
    for image in (
        fitted.coef_img_,
        fitted.support_img_,
        fitted.ranking_img_,
        fitted.consistency_img_,
        fitted.mask_img_,
    ):
        assert image.shape == scans.images.shape[:3]
        np.testing.assert_array_equal(image.affine, scans.images.affine)
        assert not np.any(image.get_fdata()[~scans.brain.mask])
    assert fitted.support_img_.get_data_dtype().kind == "i"
    assert fitted.ranking_img_.get_data_dtype().kind == "i"


def test_finds_the_planted_regions(scans):
    """By the hard machine, as in the papers: at C = 1 the soft one prefers errors to voxels."""
    decoder = FewestVoxels(SupportFeatureMachine(C=np.inf), mask=scans.mask)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    found = decoder.ranking_img_.get_fdata()[scans.brain.mask] > 0
    share = scans.brain.informative[found].mean()
    assert scans.brain.informative.mean() == pytest.approx(0.2)  # what chance would give
    assert share > 0.6
    assert decoder.error_ < 0.25


@pytest.mark.parametrize("form", ["list", "files", "file", "paths", "mixed", "analyze"])
def test_forms_of_input(scans, fitted, tmp_path, form):
    if form == "list":
        images = scans.volumes
    elif form == "mixed":
        images = [index_img(scans.images, slice(0, 30)), *scans.volumes[30:]]
    elif form == "analyze":
        images = nibabel.Spm2AnalyzeImage(scans.images.get_fdata(), scans.images.affine)
    elif form == "file":
        images = str(tmp_path / "series.nii.gz")
        nibabel.save(scans.images, images)
    else:
        images = [tmp_path / f"{number}.nii.gz" for number in range(len(scans.y))]
        for volume, path in zip(scans.volumes, images, strict=True):
            nibabel.save(volume, path)
        if form == "files":
            images = [str(path) for path in images]
    decoder = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0).fit(images, scans.y)
    np.testing.assert_array_equal(decoder.coef_img_.get_fdata(), fitted.coef_img_.get_fdata())
    np.testing.assert_array_equal(decoder.predict(images), fitted.predict(scans.images))


def test_nothing_more_than_asked_for(scans):
    decoder = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0).fit(scans.images, scans.y)
    assert decoder.cv_results_ is None
    assert decoder.temperature_ is None
    machine = SupportFeatureMachine().fit(by_hand(scans), scans.y)
    np.testing.assert_allclose(
        decoder.predict_proba(scans.images), machine.predict_proba(by_hand(scans))
    )
    assert decoder.error_ is None
    assert decoder.consistency_img_ is None
    assert decoder.ranking_img_ is None
    assert decoder.informative_ is None
    assert decoder.regions_ is None


def test_smoothing_is_nilearn_s(scans):
    smoothed = smooth_img(scans.images, 6.0)
    X = NiftiMasker(scans.mask, standardize=None, reports=False).fit().transform(smoothed)
    machine = SupportFeatureMachine().fit(X, scans.y)
    decoder = FewestVoxels(mask=scans.mask, smoothing_fwhm=6.0, cv=0, n_subsets=0)
    decoder.fit(scans.images, scans.y)
    np.testing.assert_allclose(decoder.estimator_.coef_, machine.coef_, rtol=1e-6)


def test_masker_object_keeps_its_settings(scans):
    masker = NiftiMasker(scans.mask, smoothing_fwhm=6.0, standardize=None, reports=False)
    one = FewestVoxels(mask=masker, cv=0, n_subsets=0).fit(scans.images, scans.y)
    two = FewestVoxels(mask=scans.mask, smoothing_fwhm=6.0, cv=0, n_subsets=0)
    two.fit(scans.images, scans.y)
    np.testing.assert_array_equal(one.estimator_.coef_, two.estimator_.coef_)
    assert not hasattr(masker, "mask_img_")  # the user's object is left alone


def test_computed_mask_is_nilearn_s(scans):
    masker = NiftiMasker(standardize=None, reports=False).fit(scans.images)
    decoder = FewestVoxels(cv=0, n_subsets=0).fit(scans.images, scans.y)
    np.testing.assert_array_equal(decoder.mask_img_.get_fdata(), masker.mask_img_.get_fdata())
    again = FewestVoxels(mask=masker, cv=0, n_subsets=0).fit(scans.images, scans.y)
    np.testing.assert_array_equal(again.coef_img_.get_fdata(), decoder.coef_img_.get_fdata())


def test_computed_mask_leaves_out_what_never_varies(three_classes):
    data = three_classes.images.get_fdata().copy()
    data[4] = 7.0
    images = nibabel.Nifti1Image(data, three_classes.images.affine)
    decoder = FewestVoxels(cv=0, n_subsets=0).fit(images, three_classes.y)
    inside = decoder.mask_img_.get_fdata().astype(bool)
    computed = NiftiMasker(standardize=None, reports=False).fit(images).mask_img_.get_fdata() > 0
    assert computed[4].any()
    assert not inside[4].any()
    others = [0, 1, 2, 3, 5]
    np.testing.assert_array_equal(inside[others], computed[others])
    # A mask that is given is taken as it is.
    mask = nibabel.Nifti1Image(np.ones((6, 5, 4), dtype=np.int8), images.affine)
    given = FewestVoxels(mask=mask, cv=0, n_subsets=0).fit(images, three_classes.y)
    assert given.n_elements_ == 6 * 5 * 4
    np.testing.assert_array_equal(given.coef_img_.get_fdata(), decoder.coef_img_.get_fdata())


def test_standardize_within_groups(scans):
    X = by_hand(scans)
    for group in np.unique(scans.groups):
        rows = scans.groups == group
        X[rows] = (X[rows] - X[rows].mean(axis=0)) / X[rows].std(axis=0, ddof=1)
    machine = SupportFeatureMachine().fit(X, scans.y)
    decoder = FewestVoxels(mask=scans.mask, standardize="groups", n_subsets=0)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    np.testing.assert_allclose(decoder.estimator_.coef_, machine.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(
        decoder.decision_function(scans.images, groups=scans.groups),
        machine.decision_function(X),
        atol=1e-6,
    )
    # Without groups, new volumes are one group.
    one = index_img(scans.images, scans.groups == 2)
    np.testing.assert_allclose(
        decoder.decision_function(one),
        machine.decision_function(X[scans.groups == 2]),
        atol=1e-6,
    )


def test_downsampled(scans):
    mask = scans.brain.mask
    small = downsample(scans.images.get_fdata(), 1, mask, channel_axis=3)
    X = small[downsampled_mask(mask, 1)].T
    machine = SupportFeatureMachine().fit(X, scans.y)
    decoder = FewestVoxels(mask=scans.mask, downsample=1).fit(
        scans.images, scans.y, groups=scans.groups
    )
    assert decoder.n_elements_ == 600
    assert decoder.n_features_ == X.shape[1] < 150
    np.testing.assert_allclose(decoder.estimator_.coef_, machine.coef_, rtol=1e-6, atol=1e-9)
    # The weights of all voxels give the same decisions as those of the few.
    weights = decoder.coef_img_.get_fdata()[mask]
    decisions = scans.images.get_fdata()[mask].T @ weights + decoder.estimator_.intercept_
    np.testing.assert_allclose(decisions, decoder.decision_function(scans.images), atol=1e-6)


def test_downsampled_maps_stay_whole(scans):
    mask = scans.brain.mask
    decoder = FewestVoxels(mask=scans.mask, downsample=1).fit(
        scans.images, scans.y, groups=scans.groups
    )
    coarse = np.zeros(mask.shape, dtype=bool)
    coarse[::2, ::2, ::2] = mask[::2, ::2, ::2]
    ranking = decoder.ranking_img_.get_fdata()
    for repetition, subset in enumerate(decoder.selector_.subsets_, start=1):
        np.testing.assert_array_equal(np.flatnonzero(ranking[coarse] == repetition), subset)
    assert set(np.unique(decoder.support_img_.get_fdata())) == {0, 1}
    assert decoder.consistency_img_.get_fdata().max() <= 6
    # A voxel in between has the value of a voxel of the coarser grid that is next to it.
    for place in np.argwhere(ranking > 0):
        near = tuple(slice(max(0, at - 1), at + 2) for at in place)
        assert ranking[tuple(place)] in ranking[near][coarse[near]]


def test_more_than_two_classes(three_classes):
    scans = three_classes
    decoder = FewestVoxels(mask=None, n_subsets=2).fit(scans.images, scans.y, groups=scans.groups)
    assert decoder.coef_img_.shape == (6, 5, 4, 3)
    for machine in range(3):  # one machine: each class has weights on the voxels of all
        weights = decoder.coef_img_.get_fdata()[..., machine]
        highest = np.unravel_index(weights.argmax(), weights.shape)
        assert [int(place) for place in highest] == [machine, 2, 1]
    assert np.argwhere(decoder.support_img_.get_fdata()).tolist() == [[k, 2, 1] for k in range(3)]
    assert decoder.error_ == 0.0
    assert len(decoder.cv_results_["fold"]) == 3
    assert decoder.decision_function(scans.images).shape == (36, 3)
    np.testing.assert_array_equal(decoder.predict(scans.images), scans.y)


@pytest.mark.parametrize(
    "estimator",
    [
        Liknon(C=0.05),
        SupportFeatureMachineCV(n_Cs=3, cv=3, random_state=0),
        UnionFeatureMachine(n_subsets=2),
        FeatureSelectionConcave(),
        PotentialSVC(np.inf, 1.0, kernel="precomputed"),
        LinearSVC(penalty="l1", dual=False, C=0.1, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_linear_estimators(scans, estimator):
    """Weights are for the values of the voxels, repetitions begin with the selection itself."""
    X = by_hand(scans)
    decoder = FewestVoxels(estimator, mask=scans.mask, cv=2, n_subsets=2)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    machine = fit_with_groups(clone(estimator), X, scans.y, scans.groups)
    expected = selection_of(machine)
    np.testing.assert_array_equal(in_mask(scans, decoder.coef_img_), expected.coef[0])
    np.testing.assert_array_equal(in_mask(scans, decoder.support_img_), expected.support)
    np.testing.assert_array_equal(in_mask(scans, decoder.ranking_img_) == 1, expected.support)
    np.testing.assert_array_equal(
        in_mask(scans, decoder.consistency_img_), decoder.held_out_.selections.sum(axis=0)
    )
    np.testing.assert_array_equal(decoder.predict(scans.images), machine.predict(X))


@pytest.mark.parametrize(
    "estimator",
    [
        AccumulatedClassifier(RepetitiveSelector(n_subsets=2)),
        AccumulatedClassifier(
            RepetitiveSelector(n_subsets=2), classifier=DecisionTreeClassifier(random_state=0)
        ),
        LiknonCV(classifier=DecisionTreeClassifier(random_state=0), n_Cs=3, cv=2, random_state=0),
    ],
    ids=["accumulated", "accumulated tree", "liknon-cv tree"],
)
def test_estimators_that_are_not_linear_have_no_map_of_weights(scans, estimator):
    X = by_hand(scans)
    decoder = FewestVoxels(estimator, mask=scans.mask, n_subsets=2)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    assert decoder.coef_img_ is None
    machine = fit_with_groups(clone(estimator), X, scans.y, scans.groups)
    np.testing.assert_array_equal(in_mask(scans, decoder.support_img_), machine.get_support())
    np.testing.assert_array_equal(in_mask(scans, decoder.ranking_img_) == 1, machine.get_support())
    np.testing.assert_array_equal(decoder.predict(scans.images), machine.predict(X))
    assert decoder.transform(scans.images).shape == (len(X), machine.get_support().sum())
    names = [name for name, *_ in draw_maps(decoder)]
    assert names == ["support", "consistency", "ranking"]
    assert [voxel.coefficients for voxel in list_voxels(decoder)] == [None] * np.sum(
        machine.get_support()
    )


def test_images_are_masked_once_and_folds_run_once(scans, monkeypatch):
    masked, fitted_to = [], []
    transform, fit = NiftiMasker.transform, SupportFeatureMachine.fit

    def count_masking(self, *arguments, **settings):
        masked.append(self)
        return transform(self, *arguments, **settings)

    def count_fit(self, X, *arguments, **settings):
        fitted_to.append(len(X))
        return fit(self, X, *arguments, **settings)

    monkeypatch.setattr(NiftiMasker, "transform", count_masking)
    monkeypatch.setattr(SupportFeatureMachine, "fit", count_fit)
    FewestVoxels(mask=scans.mask).fit(scans.images, scans.y, groups=scans.groups)
    assert len(masked) == 1
    assert fitted_to == [36] + [30] * 6


def test_selected_voxels_as_a_table(scans, fitted):
    table = list_voxels(fitted)
    assert [voxel.column for voxel in table] == np.flatnonzero(
        in_mask(scans, fitted.support_img_)
    ).tolist()
    for voxel in table:
        place = tuple(voxel.index)
        np.testing.assert_allclose(
            voxel.position_mm, (scans.images.affine @ [*voxel.index, 1])[:3], atol=1e-3
        )
        assert voxel.coefficients == [fitted.coef_img_.get_fdata()[place]]
        assert voxel.folds_selected == fitted.consistency_img_.get_fdata()[place]


def test_warnings_of_folds_are_passed_on(scans):
    """The folds of a machine that is poor enough to select nothing."""
    with pytest.warns(UserWarning, match="in a fold: .*no feature was selected"):
        FewestVoxels(Liknon(C=1e-6), mask=scans.mask).fit(
            scans.images, scans.y, groups=scans.groups
        )


def test_stratified_folds_without_groups(scans):
    X = by_hand(scans)
    decoder = FewestVoxels(mask=scans.mask, n_subsets=0, random_state=3)
    decoder.fit(scans.images, scans.y)
    folds = StratifiedKFold(5, shuffle=True, random_state=3).split(X, scans.y)
    errors, _ = errors_by_hand(SupportFeatureMachine(), X, scans.y, folds)
    np.testing.assert_array_equal(decoder.cv_results_["balanced_error"], errors)


def test_groups_of_one_class_each(scans):
    """Patients and healthy people: the error of a fold says little, that of all volumes much."""
    y = np.where(scans.groups < 2, "ill", "well")
    decoder = FewestVoxels(mask=scans.mask, n_subsets=0).fit(scans.images, y, groups=scans.groups)
    wrong = decoder.cv_results_["error"]  # each participant has six volumes
    assert decoder.error_ == pytest.approx((wrong[:2].mean() + wrong[2:].mean()) / 2)


def test_processes_give_the_same(scans, fitted):
    decoder = FewestVoxels(mask=scans.mask, n_subsets=0, n_jobs=2)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    np.testing.assert_array_equal(
        decoder.consistency_img_.get_fdata(), fitted.consistency_img_.get_fdata()
    )


def test_informative(scans):
    X = by_hand(scans)
    settings = {"every": 2, "n_permutations": 0}
    decoder = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0, informative=settings)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    expected = informative_features(None, X, scans.y, groups=scans.groups, **settings)
    assert decoder.informative_.estimate == expected.estimate
    assert 0 < decoder.informative_.estimate < 1


def test_nothing_selected(scans):
    with pytest.warns(match="no feature was selected"):
        decoder = FewestVoxels(Liknon(C=1e-6), mask=scans.mask, cv=0).fit(scans.images, scans.y)
    assert not decoder.support_img_.get_fdata().any()
    assert not decoder.ranking_img_.get_fdata().any()
    assert decoder.selector_ is None


def test_scikit_learn_conventions(scans, fitted):
    decoder = FewestVoxels(SupportFeatureMachine(C=2.0), mask=scans.mask, downsample=1)
    copy = clone(decoder)
    assert copy.get_params()["estimator__C"] == 2.0
    assert copy.set_params(estimator__C=3.0, cv=4).estimator.C == 3.0
    assert decoder.estimator.C == 2.0
    assert "downsample=1" in repr(copy)
    refitted = clone(fitted).fit(scans.volumes, scans.y, groups=scans.groups)
    np.testing.assert_array_equal(refitted.coef_img_.get_fdata(), fitted.coef_img_.get_fdata())


def test_cross_val_score_over_a_list_of_images(scans):
    X = by_hand(scans)
    decoder = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0)
    folds = {"cv": LeaveOneGroupOut(), "groups": scans.groups}
    scores = cross_val_score(decoder, scans.volumes, scans.y, **folds)
    np.testing.assert_array_equal(
        scores, cross_val_score(SupportFeatureMachine(), X, scans.y, **folds)
    )


def test_face_and_house(haxby):
    """A real slice, one voxel thick: leave one run out. No training error needs 2 to 5 voxels."""
    hard = SupportFeatureMachine(C=np.inf)
    decoder = FewestVoxels(hard, standardize="groups")
    decoder.fit(haxby.images, haxby.y, groups=haxby.groups)
    assert len(decoder.cv_results_["fold"]) == 12
    assert decoder.error_ < 0.1
    assert decoder.support_img_.shape == (40, 20, 1)
    assert 2 <= decoder.support_img_.get_fdata().sum() <= 5
    smaller = FewestVoxels(hard, standardize="groups", downsample=1, n_subsets=0)
    assert smaller.fit(haxby.images, haxby.y, groups=haxby.groups).error_ < 0.1
    # Of the 800 voxels of the slice, 270 are zero in all volumes.
    assert decoder.n_elements_ == 530
    assert smaller.n_features_ < 530 / 4 + 20


def test_standardised_volumes_stay_with_their_labels(scans):
    """The order of the volumes must not matter, whatever a library makes of the groups."""
    order = np.random.default_rng(0).permutation(len(scans.y))
    decoder = FewestVoxels(mask=scans.mask, standardize="groups", n_subsets=0)
    sorted_ = clone(decoder).fit(scans.images, scans.y, groups=scans.groups)
    mixed = clone(decoder).fit(
        index_img(scans.images, order), scans.y[order], groups=np.asarray(scans.groups)[order]
    )
    assert mixed.error_ == pytest.approx(sorted_.error_)
    np.testing.assert_array_equal(
        in_mask(scans, mixed.support_img_), in_mask(scans, sorted_.support_img_)
    )


def test_runs_of_a_masker_must_be_sorted(scans):
    runs = np.asarray(scans.groups)[::-1]
    masker = NiftiMasker(scans.mask, runs=runs, standardize="zscore_sample", reports=False)
    with pytest.raises(ValueError, match="the runs of the masker are not sorted"):
        FewestVoxels(mask=masker).fit(scans.images, scans.y, groups=scans.groups)


def test_repetitions_of_a_machine_that_chooses_inside_keep_groups_together(scans):
    machine = SupportFeatureMachineCV(cv=LeaveOneGroupOut())
    decoder = FewestVoxels(machine, mask=scans.mask, cv=0, n_subsets=2)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    first = decoder.ranking_img_.get_fdata() == 1
    np.testing.assert_array_equal(first, decoder.support_img_.get_fdata() == 1)
    assert len(decoder.selector_.subsets_) == 2


def test_new_groups_may_be_a_column(scans):
    decoder = FewestVoxels(mask=scans.mask, standardize="groups", cv=0, n_subsets=0)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    as_column = decoder.predict(scans.images, groups=np.asarray(scans.groups)[:, None])
    np.testing.assert_array_equal(as_column, decoder.predict(scans.images, groups=scans.groups))
