# Draws device_ladder.svg from device-ladder.csv and peers-device.csv: milliseconds of a call against the tolerance, the rows that
# converge. Run in this directory: gnuplot device.gp
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 1040,720 noenhanced font "sans,11" background rgb "white"
set output "device_ladder.svg"
set datafile separator ","
cases = "f1_5d f1_8d f2_6d f3_3d f3_8d f4_5d f4_8d f5_5d f5_8d f6_6d f7_8d f8_8d"
ours(c, v) = stringcolumn(1) eq c && $4 == 0 ? v : NaN
pagani(c, v) = stringcolumn(1) eq c && $3 == 1 ? v : NaN
title(c) = c[1:2]." ".c[4:4]."-D"
set logscale xy
set format "1e%L"
set xrange [2e-3:5e-11] reverse
set xtics ("1e-3" 1e-3, "1e-5" 1e-5, "1e-7" 1e-7, "1e-9" 1e-9)
set yrange [0.1:1e4]
set ytics 0.01, 100
set grid
set key at screen 0.985,0.88 noautotitle
set label 1 "Suite on one NVIDIA H200: milliseconds of a call against the relative tolerance" at screen 0.5,0.975 center font "sans,13"
set label 2 "PAGANI as published, on the same kind of card at another time, not side by side" at screen 0.5,0.945 center
set multiplot layout 3,4 margins 0.075,0.86,0.07,0.88 spacing 0.04,0.09
do for [a=1:words(cases)] {
  c = word(cases, a)
  set title title(c)
  set xlabel (a > 8 ? "relative tolerance" : "")
  set ylabel (a % 4 == 1 ? "milliseconds" : "")
  plot "device-ladder.csv" using 3:(ours(c, $6)) with linespoints lc 1 pt 7 ps 0.5 lw 2 title (a == 1 ? "Tessera" : ""), \
    "peers-device.csv" using 2:(pagani(c, $4)) with linespoints lc 7 pt 4 ps 0.5 title (a == 1 ? "PAGANI" : "")
  unset label 1
  unset label 2
}
unset multiplot
