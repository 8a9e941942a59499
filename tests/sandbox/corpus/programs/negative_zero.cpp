double negative_zero(double x) { return -x; }
