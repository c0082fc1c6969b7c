#include "grader/build/gap.h"

#include <stdbool.h>
#include <string.h>

#include "grader/base/text.h"

/* How names that HIP knows begin, and what the platform calls it. Of two that fit, the first
 * counts. */
static const struct {
    const char *what, *prefixes;
} gaps[] = {
    {"graphics", "hipGraphics hipGL"},
    {"graphs", "hipGraph hipStreamBeginCapture hipStreamEndCapture hipStreamCapture "
               "hipStreamIsCapturing hipStreamGetCaptureInfo hipStreamUpdateCapture "
               "hipStreamAddCapture hipStreamSetCapture hipThreadExchangeStreamCapture "
               "hipErrorStreamCapture hipErrorGraph hipErrorCapturedEvent hipKernelNode "
               "hipHostNodeParams hipMemsetParams hipUserObject"},
    {"textures", "hipTexture hipTexRef hipTexObject hipCreateTextureObject "
                 "hipDestroyTextureObject hipBindTexture hipUnbindTexture hipGetTexture "
                 "hipResource hipResView hipChannelFormat hipCreateChannelDesc "
                 "hipGetChannelDesc hipAddressMode hipFilterMode hipReadMode "
                 "hipDeviceAttributeMaxTexture HIP_RESOURCE_ HIP_RES_VIEW_ HIP_TEXTURE_ "
                 "HIP_TR HIP_AD_FORMAT_ hip/channel_descriptor.h hip/hip_texture_types.h "
                 "hip/texture_types.h tex1D tex2D tex3D texCubemap __ockl_image"},
    {"surfaces", "hipSurface hipCreateSurfaceObject hipDestroySurfaceObject hipBoundaryMode "
                 "hipDeviceAttributeMaxSurface hip/surface_types.h surf1D surf2D surf3D "
                 "surfCubemap"},
    {"arrays for textures", "hipArray hiparray hipMipmappedArray hipMallocArray hipMalloc3D "
                            "hipMallocMipmappedArray hipFreeArray hipFreeMipmappedArray "
                            "hipGetMipmappedArrayLevel hipMemcpyToArray hipMemcpyFromArray "
                            "hipMemcpy2DToArray hipMemcpy2DFromArray hipMemcpy2DArrayToArray "
                            "hipMemcpyAtoH hipMemcpyHtoA HIP_ARRAY"},
    {"copies of three dimensions",
     "hipMemcpy3D hipMemset3D hipMemcpyParam2D hipDrvMemcpy HIP_MEMCPY3D "
     "hip_Memcpy2D hipPitchedPtr make_hipPitchedPtr hipExtent make_hipExtent "
     "hipPos make_hipPos"},
    {"modules that are loaded at run time",
     "hipModule hipFunction_ hipFuncGetAttribute HIP_FUNC_ATTRIBUTE_ hipJit "
     "hipLink hipLibraryLoad hipLibraryUnload hipLibraryGet "
     "hipExtModuleLaunchKernel hipHccModuleLaunchKernel hipGetProcAddress "
     "hipDrvLaunch HIP_LAUNCH_PARAM_"},
    {"compilation at run time", "hiprtc hip/hiprtc.h"},
    {"memory pools", "hipMemPool hipMallocFromPool hipDeviceGetMemPool hipDeviceSetMemPool"},
    {"virtual addresses",
     "hipMemAddress hipMemCreate hipMemMap hipMemUnmap hipMemRelease "
     "hipMemSetAccess hipMemGetAccess hipMemAccess hipMemAllocation "
     "hipMemGetAllocation hipMemGenericAllocation hipMemHandleType hipMemExport "
     "hipMemImport hipMemLocation hipMemOperation hipMemRetain"},
    {"questions about ranges of managed memory", "hipMemRange hipStreamAttachMemAsync"},
    {"questions about a single attribute of a pointer",
     "hipPointerGetAttribute hipPointerSetAttribute hipDrvPointerGetAttributes "
     "hipPointer_attribute HIP_POINTER_ATTRIBUTE_"},
    {"memory of special kinds", "hipExtMallocWithFlags hipDeviceMalloc hipMallocSignalMemory "
                                "hipExtHostRegister"},
    {"memory that processes share", "hipIpc HIP_IPC_"},
    {"memory of other interfaces",
     "hipExternal hipImportExternal hipDestroyExternal hipSignalExternal "
     "hipWaitExternal"},
    {"contexts", "hipCtx hipDevicePrimaryCtx"},
    {"operations on memory in streams",
     "hipStreamWaitValue hipStreamWriteValue hipStreamBatchMemOp"},
    {"streams on a part of the device", "hipExtStream"},
    {"launches with attributes", "hipLaunchKernelEx hipLaunchConfig hipLaunchAttribute hipAccessP"},
    {"launches in the old form", "hipLaunchByPtr hipConfigureCall hipSetupArgument hipLaunchParm"},
    {"a second device",
     "hipDeviceGetP2PAttribute hipDeviceP2PAttr hipDevP2PAttr "
     "hipDeviceGetByPCIBusId hipMemcpyPeer hipLaunchCooperativeKernelMultiDevice "
     "hipLaunchParams hipCooperativeLaunchMultiDevice "
     "hipExtLaunchMultiKernelMultiDevice hipExtGetLinkType multi_grid "
     "this_multi_grid"},
    {"a default stream for each thread",
     "hipMemcpy_spt hipMemcpyAsync_spt hipMemcpy2D_spt hipMemcpyToSymbol_spt "
     "hipMemcpyFromSymbol_spt hipMemset_spt hipMemset2D_spt hipLaunchKernel_spt "
     "hipLaunchCooperativeKernel_spt hipStreamQuery_spt hipStreamSynchronize_spt "
     "hipStreamWaitEvent_spt hipStreamGetFlags_spt hipStreamGetPriority_spt"},
    {"this attribute of devices",
     "hipDeviceAttributeAccessPolicy hipDeviceAttributeCooperativeMultiDevice "
     "hipDeviceAttributeGcnArch hipDeviceAttributeHdp hipDeviceAttributeLocalL1Cache "
     "hipDeviceAttributeLuid hipDeviceAttributeMultiGpu hipDeviceAttributeName "
     "hipDeviceAttributePersistingL2 hipDeviceAttributeReservedShared "
     "hipDeviceAttributeSurface hipDeviceAttributeTccDriver hipDeviceAttributeUuid"},
    {"this call", "hipMemAllocHost hipMemAllocPitch hipGetStreamDeviceId "
                  "hipOccupancyMaxPotentialBlockSizeWithFlags atomicAddNoRet"},
    {"a profiler", "hipProfiler hipErrorProfiler hipRegisterApiCallback hipRemoveApiCallback "
                   "hipRegisterActivityCallback hipRemoveActivityCallback hipApiName "
                   "hipKernelNameRef"},
    {"groups by label", "labeled_partition"},
    {"arithmetic in this rounding mode",
     "__fadd_r __fsub_r __fmul_r __fdiv_r __fmaf_r __frcp_r __fsqrt_r __dadd_r "
     "__dsub_r __dmul_r __ddiv_r __fma_r __drcp_r __dsqrt_r"},
    {"matrix instructions",
     "rocwmma/ __builtin_amdgcn_mfma __builtin_amdgcn_smfma __builtin_amdgcn_wmma "
     "__builtin_amdgcn_swmma"},
    {"numbers of 8 bits and fewer",
     "hip/hip_fp8.h hip/hip_fp6.h hip/hip_fp4.h __hip_fp8 __hip_fp6 __hip_fp4"},
    {"this instruction of AMD GPUs",
     "__builtin_amdgcn_ __hip_ds_ __hip_move_dpp __hip_hc_ amd_mixed_dot __smid "
     "__named_sync"},
};

/* What the compiler says of a name that it does not know, or that is not for device code. */
static bool is_about_unknown_name(const char *message) {
    static const char *const words[] = {
        "unknown type name",       "undeclared",    "reference to __host__", "file not found",
        "no template named",       "no type named", "no member named",       "is undefined",
        "cannot open source file", "No such file"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(message, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool starts_with_one(const char *name, const char *prefixes) {
    while (*prefixes != '\0') {
        size_t len = strcspn(prefixes, " ");
        if (strncmp(name, prefixes, len) == 0) {
            return true;
        }
        prefixes += len + (prefixes[len] == ' ');
    }
    return false;
}

static const char *what_is(const char *name) {
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        if (starts_with_one(name, gaps[i].prefixes)) {
            return gaps[i].what;
        }
    }
    return NULL;
}

/* A header below hip/, by the form of its name: which ones HIP has is different in each version. */
static bool is_hip_header(const char *name, size_t len) {
    return len > 6 && strncmp(name, "hip/", 4) == 0 &&
           (strncmp(name + len - 2, ".h", 2) == 0 || strncmp(name + len - 4, ".hpp", 4) == 0);
}

/* The name that a message is about, up to *stop; NULL in there: it is about none. */
static const char *name_in(const char *message, const char **stop) {
    *stop = strstr(message, ": No such file"); /* gcc, which nvcc calls first */
    if (*stop != NULL) {
        return message;
    }
    const char *quote = strpbrk(message, "'\""); /* clang's quotes, nvcc's quotes */
    *stop = quote != NULL ? strchr(quote + 1, *quote) : NULL;
    return quote != NULL ? quote + 1 : NULL;
}

char *wg_gap_in_words(const char *platform, const char *file_name,
                      const struct wg_diagnostic *diagnostics, size_t count) {
    const struct wg_diagnostic *first = count > 0 ? &diagnostics[0] : NULL;
    if (first == NULL || strcmp(first->severity, "error") != 0 ||
        !is_about_unknown_name(first->message)) {
        return NULL;
    }
    const char *stop = NULL;
    const char *name = name_in(first->message, &stop);
    if (stop == NULL) {
        return NULL;
    }
    const char *what = what_is(name);
    if (what != NULL) {
        return wg_strf("Not graded, through no fault of the submission: %s uses %.*s in line "
                       "%d, and the %s platform does not have %s. Grade it on another, or "
                       "write it without.",
                       file_name, (int)(stop - name), name, first->line, platform, what);
    }
    if (is_hip_header(name, (size_t)(stop - name))) {
        return wg_strf("Not graded: %s includes <%.*s> in line %d, which the %s platform does not "
                       "have. If HIP has it, grade the submission on another platform, or write it "
                       "without; if not, correct its name.",
                       file_name, (int)(stop - name), name, first->line, platform);
    }
    return NULL;
}
