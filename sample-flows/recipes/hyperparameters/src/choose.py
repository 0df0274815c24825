"""Takes the best of RATE=ACCURACY arguments."""

import sys

import tony

accuracies = {rate: float(accuracy) for rate, accuracy in (argument.split("=") for argument in sys.argv[1:])}
best = max(accuracies, key=accuracies.get)
print(f"best of {len(accuracies)}: learning rate {best} with accuracy {accuracies[best]:.3f}")
tony.output(rate=best)
