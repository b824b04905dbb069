import { refine, string } from 'superstruct'
import { pattern } from '../core/rules'

export const releaseTypes = ['file', 'zip_archive', 'rootfs', 'bundle'] as const
export const assetKinds = ['payload', 'rootfs', 'archive', 'hook', 'sbom', 'notes', 'delta', 'bundle'] as const
export const rebootRules = ['never', 'after_install', 'if_needed'] as const

// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const location = /^\/(?:(?!\.\.?\/)[^/\u0000-\u001f\u007f]+\/)*(?!\.\.?$)[^/\u0000-\u001f\u007f]+$/
/** The target path of a file on the device: absolute, no `..`, not below directories of the kernel. */
export const InstallLocation = refine(
  pattern('install_location', location, "Enter an absolute path without '..'"),
  'install_location',
  (path) =>
    (path.length <= 4096 && path.isWellFormed() && !/^\/(?:proc|sys|dev)(?:\/|$)/.test(path)) || 'Not below /proc, /sys or /dev',
)
export const FileMode = pattern('mode', /^0[0-7]{3}$/, 'Enter an octal mode such as 0644')
// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const controlCharacters = /[\u0000-\u001f\u007f]/
/** The name of a file of a release: 1 to 255 characters, never a path. The message says which rule it breaks. */
export const AssetName = refine(string(), 'name', (name) => {
  if (name === '') return 'A name is required'
  if (Array.from(name).length > 255) return 'A name has at most 255 characters'
  if (controlCharacters.test(name) || !name.isWellFormed()) return 'A name has no control or incomplete characters'
  if (name.includes('/')) return 'A name has no slash'
  return !name.startsWith('.') || 'A name has no leading dot'
})
