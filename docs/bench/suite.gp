# Draws host_suite.svg from host-suite.csv: CPU seconds and true error against the tolerance, worst-first selection, robust
# estimate; the cases that reach a tolerance. Run in this directory: gnuplot suite.gp
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 900,420 noenhanced font "sans,12" background rgb "white"
set output "host_suite.svg"
set datafile separator ","
cases = "f1_5d f3_3d f3_8d f4_5d f5_5d f6_6d f7_8d f8_8d"
pick(c, v) = stringcolumn(1) eq c && stringcolumn(3) eq "worst-first" && stringcolumn(4) eq "robust" && $5 == 0 ? v : NaN
set logscale xy
set format "1e%L"
set xrange [2e-3:5e-7] reverse
set xlabel "relative tolerance"
set grid
set multiplot layout 1,2 margins 0.07,0.83,0.13,0.92 spacing 0.09
set title "CPU seconds"
unset key
plot for [i=1:words(cases)] "host-suite.csv" using 2:(pick(word(cases, i), $10)) with linespoints lc i pt i
set title "true relative error"
set key at screen 0.99,0.9 noautotitle
plot for [i=1:words(cases)] "host-suite.csv" using 2:(pick(word(cases, i), $14)) with linespoints lc i pt i \
       title word(cases, i), \
     x with lines lc rgb "black" dt 2 title "tolerance"
unset multiplot
