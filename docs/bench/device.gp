# Draws device_ladder.svg from device-ladder.csv: milliseconds of a call against the tolerance, the rows that converge.
# Run in this directory: gnuplot device.gp
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 760,460 noenhanced font "sans,12" background rgb "white"
set output "device_ladder.svg"
set datafile separator ","
cases = "f1_5d f1_8d f2_6d f3_3d f3_8d f4_5d f4_8d f5_5d f5_8d f6_6d f7_8d f8_8d"
pick(c, v) = stringcolumn(1) eq c && $4 == 0 ? v : NaN
set logscale xy
set format "1e%L"
set xrange [2e-3:5e-11] reverse
set xlabel "relative tolerance"
set ylabel "milliseconds"
set grid
set key outside right
plot for [i=1:words(cases)] "device-ladder.csv" using 3:(pick(word(cases, i), $6)) with linespoints lc i pt i title word(cases, i)
