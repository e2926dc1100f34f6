# Draws time_error.svg, the picture of README.md: time against the error that was reached, f4 in 5 variables, from host-suite.csv,
# device-ladder.csv, peers-host.csv and peers-device.csv; calls that claimed success. Run in this directory: gnuplot time_error.gp
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 860,450 noenhanced font "sans,12" background rgb "white"
set output "time_error.svg"
set datafile separator ","
case = "f4_5d"
host(v) = stringcolumn(1) eq case && stringcolumn(3) eq "worst-first" && stringcolumn(4) eq "robust" && $5 == 0 ? v : NaN
device(v) = stringcolumn(1) eq case && $4 == 0 ? v : NaN
peer(p, v) = stringcolumn(1) eq p && stringcolumn(2) eq case && $7 == 1 ? v : NaN
pagani(v) = stringcolumn(1) eq case && $3 == 1 ? v : NaN
set logscale xy
set format "1e%L"
set xrange [1e-2:1e-12] reverse
set yrange [1e-3:1e2]
set xlabel "true relative error"
set ylabel "seconds"
set label "A Gaussian peak in 5 variables (f4): time against the error that was reached" at screen 0.5,0.96 center font "sans,14"
set label "* measured on another machine\nor at another time, not side by side" at screen 0.98,0.2 right font "sans,10"
set tmargin 3
set xtics ("1e-2" 1e-2, "1e-4" 1e-4, "1e-6" 1e-6, "1e-8" 1e-8, "1e-10" 1e-10, "1e-12" 1e-12)
set grid
set key outside right center samplen 2 spacing 1.3
plot "peers-host.csv" using 6:(peer("cuhre", $4)) with linespoints lc 4 pt 8 title "Cuba's Cuhre, one core *", \
  "peers-host.csv" using 6:(peer("dcuhre", $4)) with linespoints lc 2 pt 6 title "DCUHRE, one core *", \
  "host-suite.csv" using 14:(host($10)) with linespoints lc 1 pt 7 lw 2 title "Tessera, one core", \
  "peers-device.csv" using 6:(pagani($4/1000)) with linespoints lc 7 pt 4 title "PAGANI, one H200 *", \
  "device-ladder.csv" using 11:(device($6/1000)) with linespoints lc 6 pt 5 lw 2 title "Tessera, one H200"
