/** The content of a bundle for each platform: its root of trust, its parts, and the fuses that are written permanently. */
export type Platform = { value: string; label: string; root: string; parts: readonly string[]; fuses: readonly string[] }

export const platforms: readonly Platform[] = [
  {
    value: 'nxp-hab',
    label: 'NXP i.MX 6, 7, 8M (HAB v4)',
    root: 'Hash of a table of four super root keys',
    parts: ['Signed boot container (SPL and U-Boot)', 'SRK table', 'SRK fuse file', 'Signed FIT image'],
    fuses: ['SRK hash, 8 words of 32 bits', 'SRK revoke bits', 'SEC_CONFIG close bit', 'JTAG mode'],
  },
  {
    value: 'nxp-ahab',
    label: 'NXP i.MX 8, 8X, 8ULP, 9x (AHAB)',
    root: 'Hash of a table of super root keys',
    parts: ['Signed AHAB container', 'SRK table', 'SRK hash file'],
    fuses: ['SRK hash words', 'Lifecycle step to OEM closed'],
  },
  {
    value: 'ti-k3',
    label: 'TI K3 (AM6x, TDA4)',
    root: 'Hashes of SMPK and BMPK',
    parts: ['tiboot3.bin', 'tispl.bin', 'u-boot.img', 'OTP key writer image with its certificate'],
    fuses: ['SMPK hash', 'BMPK hash', 'KEYREV', 'SWREV', 'HS-FS to HS-SE'],
  },
  {
    value: 'esp32',
    label: 'Espressif ESP32 family',
    root: 'Digest of a public key in eFuse',
    parts: ['Signed second-stage bootloader', 'Partition table', 'Signed app', 'Public-key digest file'],
    fuses: ['Key purpose SECURE_BOOT_DIGEST', 'SECURE_BOOT_EN', 'Key revoke bits', 'JTAG disable', 'SECURE_VERSION'],
  },
  {
    value: 'stm32mp',
    label: 'STM32MP1, MP2',
    root: 'Hash of a public key in OTP',
    parts: ['Signed first stage (TF-A)', 'FIP with signed parts', 'Public-key hash'],
    fuses: ['PKH words', 'Close bit'],
  },
  {
    value: 'rpi',
    label: 'Raspberry Pi 4, 5, CM4',
    root: 'Hash of an RSA-2048 key in OTP',
    parts: ['pieeprom.bin with its signature', 'boot.img with boot.sig', 'config.txt'],
    fuses: ['Public-key hash', 'Revocation of the development key', 'JTAG lock'],
  },
  {
    value: 'nvidia-jetson',
    label: 'NVIDIA Jetson',
    root: 'Hash of one or more PKC keys',
    parts: ['Signed boot chain', 'PKC hash', 'Fuse XML'],
    fuses: ['PublicKeyHash', 'BootSecurityInfo', 'SBK', 'K1, K2', 'SecurityMode'],
  },
  {
    value: 'riscv-polarfire',
    label: 'Microchip PolarFire SoC (RISC-V)',
    root: 'Boot code in sNVM that checks the eNVM image',
    parts: ['HSS image signed for eNVM', 'Signed HSS payload', 'Device design security settings'],
    fuses: ['User public key in sNVM', 'Lock bits'],
  },
  {
    value: 'uefi',
    label: 'UEFI, x86 and Arm',
    root: 'Platform key in variables',
    parts: ['PK.auth', 'KEK.auth', 'db.auth', 'Signed boot loader', 'Signed kernel'],
    fuses: [],
  },
  {
    value: 'u-boot-fit',
    label: 'U-Boot verified boot',
    root: 'Key in the device tree of U-Boot or in a secure element',
    parts: ['Signed FIT image', 'Device tree with the key'],
    fuses: [],
  },
  {
    value: 'mcuboot',
    label: 'Microcontrollers with MCUboot',
    root: 'Key hash in the bootloader or in OTP',
    parts: ['MCUboot image', 'Signed app image'],
    fuses: ['Read-out protection', 'OTP key slot'],
  },
]
