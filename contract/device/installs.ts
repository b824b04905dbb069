import type { Manifest } from './manifest'

/** The attribute in which our agent says what its device can install. */
export const installsAttribute = 'installs'
export const installables = ['files', 'images', 'files and images'] as const
export type Installable = (typeof installables)[number]

/** Whether a device that reports this can install a release of the type; one that reports nothing is not compared. */
export const isInstallable = (type: Manifest['type'], reported: Installable | null): boolean => {
  if (type === 'bundle' || reported === null || reported === 'files and images') return true
  return reported === (type === 'rootfs' ? 'images' : 'files')
}

const words = { files: 'replaces files', images: 'writes whole images', 'files and images': 'installs files and images' } as const
/** What a device that reports this does; the rest of a sentence about it. */
export const installsText = (reported: Installable): string => words[reported]
