"""What a result file keeps, how precisely and in which pieces; and that other libraries open it."""

import unittest

import h5py
import numpy

from program_case import PENDULUM, ProgramTest, SMALL, SWINGS, datasets, same_bits, without

try:
    import netCDF4
except ImportError:
    netCDF4 = None
try:
    import xarray
except ImportError:
    xarray = None

ADAPTIVE = {**SMALL, "integrator": {"name": "dopri5", "end_s": 0.05, "relative_tolerance": 1e-5,
                                    "absolute_tolerance": 1e-6}, "observe": {"every_s": 0.01, "channels": ["position"]}}
ALWAYS = ("instance/", "parameters/", "id")
# Where each part of "keep" stands, with the axes that only it has.
PARTS = {"quantities": ("quantities/", "statistics/"), "states": ("state/",), "trajectories": ("trajectory/", "time"),
         "certificate": ("instance/certificate/",)}
ENDINGS = ("instance/certificate/runs", "instance/certificate/steps", "instance/certificate/rejected_steps")


def folders(path):
    found = ["/"]
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.append("/" + name) if isinstance(item, h5py.Group) else None)
    return found


class Results(ProgramTest):
    def written(self, study, name, **results):
        self.run_study({**study, "results": results} if results else study, "--out", name)
        return datasets(self.path / name)

    def test_hold_the_parts_that_are_kept_with_the_same_bits(self):
        self.study(PENDULUM, "pendulum.json")
        for label, study in (("system", SMALL), ("adaptive", ADAPTIVE), ("mechanism", SWINGS)):
            whole = self.written(study, label + ".h5")
            for kept in (["quantities"], ["quantities", "states"], ["trajectories", "quantities"],
                         ["certificate", "quantities"]):
                with self.subTest(label, kept=kept):
                    part = self.written(study, f"{label}_{'_'.join(kept)}.h5", keep=kept)
                    for name, values in part.items():
                        self.assertEqual(values.tobytes() if values.dtype != object else values.tolist(),
                                         whole[name].tobytes() if values.dtype != object else whole[name].tolist(), name)
                    for name in whole.keys() - part.keys():
                        self.assertFalse(any(name.startswith(PARTS[one]) for one in kept), name)
                    for name in part:
                        left_out = [one for one in PARTS if one not in kept and name.startswith(PARTS[one])]
                        self.assertFalse(left_out and name not in ENDINGS, name)

    def test_may_keep_nothing_but_endings_and_parameters(self):
        part = self.written(without(SMALL, "quantities"), "least.h5", keep=[])
        self.assertTrue(all(name.startswith(ALWAYS) for name in part), part.keys())
        self.assertEqual(len(part["instance/status"]), 200)

    def test_may_round_trajectories_of_fp64_and_nothing_else(self):
        whole = self.written(SMALL, "double.h5")
        single = self.written(SMALL, "single.h5", trajectory_precision="fp32")
        for name, values in whole.items():
            if name.startswith("trajectory/") and name != "trajectory/time":
                self.assertEqual(single[name].dtype, numpy.float32)
                numpy.testing.assert_array_equal(single[name], values.astype(numpy.float32), name)
            elif values.dtype != object:
                self.assertEqual(single[name].tobytes(), values.tobytes(), name)

    def test_are_the_same_compressed_and_smaller(self):
        many = {**SMALL, "instances": 3000}
        whole = self.written(many, "plain.h5")
        for level in (1, 9):
            self.assertTrue(same_bits(self.written(many, f"level_{level}.h5", compression=level), whole))
            self.assertLess((self.path / f"level_{level}.h5").stat().st_size, (self.path / "plain.h5").stat().st_size)

    def test_go_on_compressed_and_are_merged(self):
        many = {**SMALL, "instances": 3000, "results": {"compression": 4}}
        self.run_study(many, "--out", "whole.h5")
        study = self.study(many)
        for part in ("0:1033", "1033:3000"):
            done = self.myriad("run", study, "--backend", "cpu", "--range", part)
            self.assertEqual(done.returncode, 0, done.stderr)
        for link in ([], ["--link"]):
            name = "linked.h5" if link else "merged.h5"
            done = self.myriad("merge", "study.0-1033.h5", "study.1033-3000.h5", "--out", name, *link)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(same_bits(datasets(self.path / name), datasets(self.path / "whole.h5")))
        self.run_study({**many, "instances": 1000}, "--out", "grown.h5")
        self.run_study({**many, "results": {"compression": 9}}, "--out", "grown.h5", "--resume")
        self.assertTrue(same_bits(datasets(self.path / "grown.h5"), datasets(self.path / "whole.h5")))

    def test_hold_a_trajectory_in_one_piece_and_a_compressed_one_in_chunks_of_64_kb_or_of_one_instance(self):
        self.study(PENDULUM, "pendulum.json")
        often = {**SWINGS, "observe": {"every_steps": 1, "channels": ["tip", "energy"]}, "integrator": {
            "name": "generalized_alpha", "step_s": 1e-4, "end_s": 1.0}, "instances": 5}
        many = {**SMALL, "instances": 3000}
        compressed = 0
        small = {"results": {"compression": 4}}
        for study in (SMALL, many, often, {**many, **small}, {**often, **small}):
            self.run_study(study, "--out", "pieces.h5", "--overwrite")
            with h5py.File(self.path / "pieces.h5") as file:
                for name, dataset in file["trajectory"].items():
                    if name == "time":
                        continue
                    if "results" not in study or dataset.nbytes < 64 << 10:
                        self.assertIsNone(dataset.chunks, name)
                        place = dataset.id.get_offset() + dataset[0].nbytes  # of the second instance
                        held = (self.path / "pieces.h5").read_bytes()
                        stored = numpy.frombuffer(held, dataset.dtype, dataset[1].size, place)
                        numpy.testing.assert_array_equal(stored, dataset[1].ravel(), name)
                        continue
                    compressed += 1
                    instance = dataset[0].nbytes
                    self.assertEqual(dataset.chunks[1:], dataset.shape[1:], name)
                    held = dataset.chunks[0] * instance
                    self.assertTrue(dataset.chunks[0] == 1 or held <= 64 << 10, name)
                    self.assertTrue(dataset.chunks[0] == len(dataset) or 2 * held > 64 << 10, name)
                    self.assertTrue(instance < 64 << 10 or dataset.chunks[0] == 1, name)
        self.assertGreater(compressed, 2)

    def test_have_their_scales_in_the_root(self):
        self.study(PENDULUM, "pendulum.json")
        self.run_study(SWINGS, "--out", "scales.h5", "--check-step", "0.1")
        with h5py.File(self.path / "scales.h5") as file:
            self.assertEqual(file["id"], file["instance/id"])
            self.assertEqual(file["time"], file["trajectory/time"])
            self.assertEqual(file["body"].asstr()[:].tolist(), ["rod"])
            self.assertEqual(file["component"].asstr()[:].tolist(), ["x", "y", "z"])
            self.assertEqual(file["component_w_x_y_z"].asstr()[:].tolist(), ["w", "x", "y", "z"])
            position = file["state/final/position"]
            self.assertEqual([dimension[0].name.rsplit("/")[-1] for dimension in position.dims],
                             ["id", "body", "component"])

    def opened_everywhere(self, open_folder):
        self.study(PENDULUM, "pendulum.json")
        for study in (SMALL, ADAPTIVE, SWINGS):
            self.run_study(study, "--out", "open.h5", "--overwrite", "--check-step", "0.1")
            whole = datasets(self.path / "open.h5")
            seen = set()
            for folder in folders(self.path / "open.h5"):
                for name, values in open_folder(self.path / "open.h5", folder):
                    path = (folder + "/" + name).strip("/")
                    seen.add(path)
                    known = whole.get(path, whole.get({"id": "instance/id", "time": "trajectory/time"}.get(path, path)))
                    if known is not None and known.dtype != object:
                        numpy.testing.assert_array_equal(values, known, path)
            self.assertFalse({name for name in whole if name not in seen and name not in ("id", "time")})

    @unittest.skipIf(netCDF4 is None, "netCDF4 is not installed")
    def test_are_opened_by_netcdf4(self):
        def open_folder(path, folder):
            with netCDF4.Dataset(path) as file:
                group = file if folder == "/" else file[folder]
                for name, variable in group.variables.items():
                    variable.set_auto_maskandscale(False)
                    yield name, variable[...]

        self.opened_everywhere(open_folder)

    @unittest.skipIf(xarray is None or netCDF4 is None, "xarray with netCDF4 is not installed")
    def test_are_opened_by_xarray(self):
        def open_folder(path, folder):
            with xarray.open_dataset(path, group=folder, engine="netcdf4", decode_cf=False) as dataset:
                for name, variable in dataset.variables.items():
                    yield name, variable.values

        self.opened_everywhere(open_folder)


if __name__ == "__main__":
    unittest.main()
