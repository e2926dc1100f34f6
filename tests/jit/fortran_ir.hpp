// Texts in LLVM's representation, as flang writes them, for the tests of what reads it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace fortran_ir {

// COMMON that is read, SAVE that is written, a call of a function of the text, of the C library and of a complex one, a branch to output
// and STOP, a local array, a switch, an address that a phi passes on.
inline const char *const plain = R"ir(; ModuleID = 'FIRModule'
source_filename = "FIRModule"
target datalayout = "e-m:e-p270:32:32"
target triple = "x86_64-pc-linux-gnu"

%_QMshapesTgaussian = type { [2 x double], double, i32 }

$word = comdat any

@pars_ = common local_unnamed_addr global [36 x i8] zeroinitializer, align 8
@_QMmodelEweight = local_unnamed_addr global [3 x double] [double 1.000000e+00, double 0x3FE6666666666666, double -2.500000e-01]
@_QMshapesEmix = global %_QMshapesTgaussian { [2 x double] [double 5.000000e-01, double 5.000000e-01], double 3.000000e-01, i32 2 }
@_QFfEcalls = internal unnamed_addr global i32 3
@word = linkonce constant [3 x i8] c"BAD", comdat
@never = global fp128 0xL00000000000000000000000000000000

declare double @exp(double) local_unnamed_addr #0
declare { double, double } @cexp(double, double) local_unnamed_addr
declare i32 @llvm.smax.i32(i32, i32) #2
declare double @llvm.sqrt.f64(double)
declare ptr @_FortranAioBeginExternalListOutput(i32, ptr, i32) local_unnamed_addr
declare zeroext i1 @_FortranAioOutputAscii(ptr, ptr, i64) local_unnamed_addr
declare i32 @_FortranAioEndIoStatement(ptr) local_unnamed_addr
declare void @_FortranAStopStatement(i32, i1 zeroext, i1 zeroext) local_unnamed_addr
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3
declare void @missing_(ptr)

define internal double @helper_(ptr noalias readonly captures(none) %0) unnamed_addr #1 comdat($word) !dbg !6 {
  %2 = load double, ptr %0, align 8, !dbg !8, !tbaa !9
  %3 = tail call contract double @exp(double noundef %2) #4, !dbg !8
  ret double %3, !dbg !8
}

define void @unused_(ptr %0) {
  call void @missing_(ptr %0)
  ret void
}

define void @tessera_f(ptr readonly captures(none) %0, ptr writeonly captures(none) initializes((0, 8)) %1, ptr readnone %2) local_unnamed_addr #1 !dbg !10 {
  %4 = alloca [4 x double], align 8, !dbg !11
  %5 = load i32, ptr @_QFfEcalls, align 4, !dbg !11, !tbaa !9
  %6 = add nsw i32 %5, 1, !dbg !11
  store i32 %6, ptr @_QFfEcalls, align 4, !dbg !11
  %7 = load double, ptr %0, align 8
  %8 = load double, ptr getelementptr inbounds nuw (i8, ptr @pars_, i64 16), align 8
  %9 = fcmp contract ogt double %7, 2.000000e+00, !dbg !11
  br i1 %9, label %bad, label %good, !dbg !11, !prof !5

bad:                                              ; preds = %3
  %10 = tail call ptr @_FortranAioBeginExternalListOutput(i32 6, ptr nonnull @word, i32 16) #4, !dbg !11
  %11 = tail call i1 @_FortranAioOutputAscii(ptr %10, ptr nonnull @word, i64 3) #4
  %12 = tail call i32 @_FortranAioEndIoStatement(ptr %10)
  tail call void @_FortranAStopStatement(i32 0, i1 false, i1 false)
  unreachable

good:
  %13 = call double @helper_(ptr nonnull %0), !dbg !12
  %14 = call { double, double } @cexp(double %7, double %8)
  %15 = extractvalue { double, double } %14, 0
  %16 = fneg contract double %15
  %17 = fptosi double %13 to i32
  %18 = call i32 @llvm.smax.i32(i32 %17, i32 0)
  switch i32 %18, label %"other way" [
    i32 0, label %one
    i32 1, label %two
  ]

one:
  br label %two

two:
  %19 = phi ptr [ @_QMmodelEweight, %good ], [ getelementptr inbounds (i8, ptr @_QMmodelEweight, i64 8), %one ]
  %20 = load double, ptr %19, align 8, !dbg !13
  br label %"other way"

"other way":
  %21 = phi double [ %20, %two ], [ %16, %good ]
  %22 = zext nneg i32 %18 to i64
  %23 = getelementptr inbounds nuw [4 x double], ptr %4, i64 0, i64 1
  store double %21, ptr %23, align 8
  %24 = getelementptr inbounds %_QMshapesTgaussian, ptr @_QMshapesEmix, i32 0, i32 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %4, ptr align 8 %24, i64 8, i1 false)
  %25 = load double, ptr %4, align 8
  %26 = frem contract double %25, %21
  %27 = call double @llvm.sqrt.f64(double %26)
  %28 = select i1 %9, double %27, double %8
  %29 = sitofp i32 %6 to double
  %30 = fadd contract double %28, %29
  %31 = freeze double %30
  store double %31, ptr %1, align 8, !dbg !13
  ret void, !dbg !13
}

attributes #0 = { nounwind "target-cpu"="x86-64" }
attributes #1 = { "frame-pointer"="all" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind }
attributes #4 = { nounwind }

!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{!"branch_weights", i32 1, i32 2000}
!6 = distinct !DISubprogram(name: "helper", line: 20)
!8 = !DILocation(line: 21, column: 3, scope: !6)
!9 = !{!9, !9, i64 0}
!10 = distinct !DISubprogram(name: "f", line: 1)
!11 = !DILocation(line: 7, column: 3, scope: !10)
!12 = !DILocation(line: 11, column: 3, scope: !10)
!13 = !DILocation(line: 13, column: 3, scope: !10)
)ir";

// The entry around other lines: %0 the point, %1 the values.
inline const char *const head = "define void @tessera_f(ptr %0, ptr %1, ptr %2) {\nbegin:\n";
inline const char *const end = "  ret void, !dbg !1\n}\n!1 = !DILocation(line: 42, column: 3, scope: !0)\n";

}  // namespace fortran_ir
