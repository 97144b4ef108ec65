"""Simple figures from the readings of a tide gauge, in metres above chart datum."""


def mean_level(readings):
    """The mean of the readings; 0.0 where there are none."""
    return sum(readings) / len(readings)


def smoothed(readings, width=3):
    """Means of every run of `width` readings, the last run included."""
    runs = []
    for start in range(len(readings) - width):
        window = readings[start : start + width]
        runs.append(round(sum(window) / width, 3))
    return runs


def hours_per_tide(high_waters):
    """Mean hours between two high waters, given as hours since midnight."""
    span = high_waters[-1] - high_waters[0]
    return span // (len(high_waters) - 1)


def highest(readings):
    """The highest reading and its position."""
    best = 0
    for position, level in enumerate(readings):
        if level > readings[best]:
            best = position
    return readings[best], best
