import { refine } from 'superstruct'
import { pattern } from '../rules'

export const releaseTypes = ['file', 'zip_archive', 'rootfs'] as const
export const assetKinds = ['payload', 'rootfs', 'archive', 'hook', 'sbom', 'notes', 'delta'] as const
export const rebootRules = ['never', 'after_install', 'if_needed'] as const

// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const location = /^\/(?:(?!\.\.?\/)[^/\u0000-\u001f\u007f]+\/)*(?!\.\.?$)[^/\u0000-\u001f\u007f]+$/
/** Where a file goes on the device: absolute, no `..`, not below what the kernel owns (product.md 4.7). */
export const InstallLocation = refine(
  pattern('install_location', location, "Enter an absolute path without '..'"),
  'install_location',
  (path) =>
    (path.length <= 4096 && path.isWellFormed() && !/^\/(?:proc|sys|dev)(?:\/|$)/.test(path)) || 'Not below /proc, /sys or /dev',
)
export const FileMode = pattern('mode', /^0[0-7]{3}$/, 'Enter an octal mode such as 0644')
export const AssetName = refine(
  // oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
  pattern('name', /^[^./\u0000-\u001f\u007f][^/\u0000-\u001f\u007f]*$/, 'A name has no slash and no leading dot'),
  'name',
  (name) => (Array.from(name).length <= 255 && name.isWellFormed()) || 'A name has at most 255 characters',
)
