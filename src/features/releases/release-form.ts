import type { Release } from '../../../contract/updates/releases'
import { readCommaList } from '../../lib/comma-list'
import { textOf } from '../../lib/form-data'
import type { Fields } from '../../system/form/edit-conflict'
import { flattenFields } from '../../system/form/nested-fields'
import { bundleOf, numberOrNull } from './release-fields'

export const reboots: Record<Release['reboot'], string> = {
  never: 'Never',
  after_install: 'After installation',
  if_needed: 'If needed',
}
export const hooks = [
  ['pre_install', 'Hook before installation'],
  ['post_install', 'Hook after installation'],
  ['post_reboot', 'Hook after reboot'],
] as const
/** Ark's select has no empty value. */
export const noHook = 'none'

/** Labels of the fields, for a conflict. */
export const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  version: 'Version',
  display_version: 'Display version',
  hardware_models: 'Hardware models',
  min_installed_version: 'Minimum installed version',
  rollback_version: 'Rollback version',
  secure_boot_bundle_id: 'Secure boot bundle',
  allow_downgrade_from: 'May replace newer versions',
  may_return_to: 'May return to',
  reboot: 'Reboot',
  ...Object.fromEntries(hooks.map(([name, label]) => [`hooks.${name}`, label])),
  description: 'Description',
  notes: 'Release notes',
}

/** A saved release in the form of the body, with each hook as a field of its own. */
export const fieldsOf = (release: Release): Fields => ({
  name: release.name,
  version: release.version,
  display_version: release.display_version,
  hardware_models: release.hardware_models,
  min_installed_version: release.min_installed_version,
  rollback_version: release.rollback_version,
  secure_boot_bundle_id: release.secure_boot_bundle_id ?? null,
  allow_downgrade_from: release.allow_downgrade_from ?? [],
  may_return_to: release.may_return_to,
  reboot: release.reboot,
  ...flattenFields('hooks', release.hooks),
  description: release.description,
  notes: release.notes,
})

export const returnText = (release: Release) => release.may_return_to?.join(', ') ?? ''
const hookOf = (data: FormData, name: string) => {
  const id = textOf(data, `hooks.${name}`)
  return id === '' || id === noHook ? null : id
}

/** The values of the controls, as the contract's body. An empty control removes the previous value. */
export const readDraft = (release: Release) => (data: FormData) => ({
  name: textOf(data, 'name'),
  version: numberOrNull(textOf(data, 'version')),
  display_version: textOf(data, 'display_version') || null,
  hardware_models: readCommaList(textOf(data, 'hardware_models')),
  min_installed_version: numberOrNull(textOf(data, 'min_installed_version')),
  rollback_version: numberOrNull(textOf(data, 'rollback_version')),
  secure_boot_bundle_id: bundleOf(textOf(data, 'secure_boot_bundle_id')),
  allow_downgrade_from: readCommaList(textOf(data, 'allow_downgrade_from')).map(Number),
  // An unchanged list is filled when the manifest is built.
  // A control without a name shows the proposal. Emptied, it allows none, which differs from no list.
  ...(data.has('may_return_to') &&
    (release.may_return_to === null || textOf(data, 'may_return_to') !== returnText(release)) && {
      may_return_to: readCommaList(textOf(data, 'may_return_to')).map(Number),
    }),
  reboot: textOf(data, 'reboot'),
  hooks: Object.fromEntries(hooks.map(([name]) => [name, hookOf(data, name)])),
  description: textOf(data, 'description'),
  notes: textOf(data, 'notes'),
})

/** What a signature does not cover. */
export const readTexts = (data: FormData) => ({ description: textOf(data, 'description'), notes: textOf(data, 'notes') })
