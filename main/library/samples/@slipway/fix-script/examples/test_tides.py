import unittest

from tides import highest, hours_per_tide, mean_level, smoothed


class TideTests(unittest.TestCase):
    def test_mean_of_readings(self):
        self.assertAlmostEqual(mean_level([1.2, 3.4, 2.0]), 2.2)

    def test_mean_of_no_readings(self):
        self.assertEqual(mean_level([]), 0.0)

    def test_smoothing_keeps_the_last_run(self):
        self.assertEqual(smoothed([1.0, 2.0, 3.0, 4.0]), [2.0, 3.0])

    def test_smoothing_of_exactly_one_run(self):
        self.assertEqual(smoothed([1.0, 2.0, 6.0]), [3.0])

    def test_hours_between_high_waters(self):
        self.assertEqual(hours_per_tide([1.5, 14.0, 26.5]), 12.5)

    def test_highest_reading(self):
        self.assertEqual(highest([0.8, 4.1, 3.9]), (4.1, 1))


if __name__ == "__main__":
    unittest.main()
