"""The protocol of the paper's experiments (its section 4), as numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Protocol:
    """How the experiments are made: everything a result depends on besides method and data.

    Attributes
    ----------
    name : str
        "full" or "quick".
    data_sets : str
        Group of data sets that the experiments run on.
    n_orders, seed : int
        Random orders in which rows are presented, and their source: the same for all methods.
    fresh_orders, fresh_seed : int
        Other orders, on which the parameters that were best on the first are tried again. The best
        of thousands of cells owes something to the orders it was chosen on; these tell how much.
    step, topo_step : float
        Distance of neighbouring vigilances; topoART's is finer, for about as many cells in all.
    alpha, beta, gamma_ref, gamma : float
        What the paper holds fixed.
    gamma_orders, gammas, gamma_data_sets
        The study of the kernel width (section 5.4).
    heat_gammas, heat_data_set
        The heat maps of the vigilance plane.
    strict_data_sets
        Those of up to 400 rows, on which topoART's other reading is soon tried.
    look_seeds, kmeans_data_sets, ap_data_sets, tied_data_sets
        For one more look at k-means and affinity propagation, on the sets in which they differ
        from the paper, and at those that have so many VAT orders that digits tell nothing of some
        columns.
    ap_check_data_sets
        On which what explains the others must not change what agrees.
    reading_orders, reading_step
        With which topoART's further readings are told apart: fewer orders and vigilances, since
        they are many, and run by code that knows no short cuts.
    eps_step, min_samples, kmeans_repeats, damping_step
        What the methods that are no ART are scanned with.
    """

    name: str = "full"
    data_sets: str = "thirty"
    n_orders: int = 30
    seed: int = 0
    fresh_orders: int = 30
    fresh_seed: int = 1
    step: float = 0.01
    topo_step: float = 0.008
    alpha: float = 0.001
    beta: float = 1.0
    gamma_ref: float = 1.0
    gamma: float = 3.0
    gamma_orders: int = 10
    gammas: tuple[float, ...] = tuple(k / 2 for k in range(11))
    gamma_data_sets: tuple[str, ...] = ("seeds", "wine", "target", "tetra", "lsun", "moon")
    heat_gammas: tuple[float, ...] = (1.0, 3.0, 5.0)
    heat_data_set: str = "target"
    strict_data_sets: tuple[str, ...] = (
        *("compound", "dermatology", "ecoli", "face", "flame", "glass", "hepta", "iris"),
        *("jain", "lsun", "path_based", "seeds", "spiral", "tetra", "wave", "wine"),
    )
    look_seeds: int = 40
    kmeans_data_sets: tuple[str, ...] = (
        *("aggregation", "atom", "dermatology", "flame", "giant", "glass", "path_based"),
        *("synthetic_control", "wave", "wine"),
    )
    ap_data_sets: tuple[str, ...] = ("ring", "wave", "wisconsin")
    ap_check_data_sets: tuple[str, ...] = ("face", "flag", "giant", "lsun", "moon")
    tied_data_sets: tuple[str, ...] = ("dermatology", "wisconsin")
    reading_orders: int = 10
    reading_step: float = 0.016
    eps_step: float = 0.005
    min_samples: tuple[int, ...] = (1, 2, 3, 4)
    kmeans_repeats: int = 10
    damping_step: float = 0.005


FULL = Protocol()

# Every method, part and file, in seconds: for the tests, and to see the shape of what comes out.
QUICK = Protocol(
    name="quick",
    data_sets="small",
    n_orders=3,
    fresh_orders=3,
    step=0.1,
    topo_step=0.25,
    gamma_orders=2,
    gammas=(0.0, 1.0, 3.0),
    gamma_data_sets=("small_rings", "small_blobs"),
    heat_data_set="small_rings",
    strict_data_sets=("small_rings", "small_blobs"),
    look_seeds=2,
    kmeans_data_sets=("small_rings",),
    ap_data_sets=("small_rings",),
    ap_check_data_sets=("small_blobs",),
    tied_data_sets=("small_rings",),
    reading_orders=2,
    reading_step=0.5,
    eps_step=0.1,
    min_samples=(1, 3),
    kmeans_repeats=2,
    damping_step=0.2,
)
