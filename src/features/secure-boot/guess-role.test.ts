import { expect, it } from 'vitest'
import type { ArtifactRole, PlatformId } from '../../../contract/updates/secure-boot/platforms'
import { guessRole } from './guess-role'

const none = new Uint8Array()
const files: readonly (readonly [PlatformId, string, ArtifactRole])[] = [
  ['nxp-hab', 'flash.bin', 'boot_container'],
  ['nxp-hab', 'SRK_1_2_3_4_table.bin', 'key_table'],
  ['nxp-hab', 'SRK_1_2_3_4_fuse.bin', 'key_hash'],
  ['nxp-hab', 'fitImage', 'fit_image'],
  ['nxp-ahab', 'imx-boot-imx93', 'boot_container'],
  ['ti-k3', 'tiboot3-am62x-hs-fs-evm.bin', 'first_stage'],
  ['ti-k3', 'tispl.bin', 'second_stage'],
  ['ti-k3', 'u-boot.img', 'fit_image'],
  ['esp32', 'bootloader.bin', 'first_stage'],
  ['esp32', 'partition-table.bin', 'partition_table'],
  ['esp32', 'digest.bin', 'key_hash'],
  ['stm32mp', 'tf-a-stm32mp157c.stm32', 'first_stage'],
  ['stm32mp', 'fip-signed.bin', 'second_stage'],
  ['rpi', 'pieeprom.bin', 'second_stage'],
  ['rpi', 'boot.img', 'fit_image'],
  ['rpi', 'boot.sig', 'certificate'],
  ['rpi', 'config.txt', 'config'],
  ['nvidia-jetson', 'fuse.xml', 'config'],
  ['riscv-polarfire', 'hss-envm-wrapper.bin', 'monitor_sbi'],
  ['uefi', 'PK.auth', 'uefi_pk'],
  ['uefi', 'KEK.auth', 'uefi_kek'],
  ['uefi', 'db.auth', 'uefi_db'],
  ['uefi', 'dbx.auth', 'uefi_dbx'],
  ['uefi', 'BOOTX64.EFI', 'second_stage'],
  ['uefi', 'vmlinuz-6.12.signed', 'kernel'],
  ['u-boot-fit', 'u-boot.dtb', 'device_tree'],
  ['u-boot-fit', 'image.itb', 'fit_image'],
  ['mcuboot', 'mcuboot.hex', 'first_stage'],
  ['mcuboot', 'app.signed.bin', 'kernel'],
  ['mcuboot', 'notes', 'other'],
]

it.each(files)('on %s the file %s is proposed as %s', (platform, name, role) => {
  expect(guessRole(platform, name, none)).toBe(role)
})

it('first bytes tell the role of a file without a known name', () => {
  const begins = (...bytes: number[]) => Uint8Array.from(bytes)
  expect(guessRole('stm32mp', 'first', begins(0x53, 0x54, 0x4d, 0x32))).toBe('first_stage')
  expect(guessRole('mcuboot', 'app', begins(0x3d, 0xb8, 0xf3, 0x96))).toBe('kernel')
  expect(guessRole('u-boot-fit', 'rootfs', begins(0xd0, 0x0d, 0xfe, 0xed))).toBe('fit_image')
  expect(guessRole('esp32', 'firmware', begins(0xe9))).toBe('kernel')
  expect(guessRole('nxp-hab', 'firmware', begins(0xe9))).toBe('other')
})
