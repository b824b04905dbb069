type File = { name: string; kind: string; sha256: string; install_location: string | null }
type Parts = {
  type: 'file' | 'zip_archive' | 'rootfs' | 'bundle'
  version: number
  created_at: string
  expires_at: string
  hooks: Record<string, string | null>
  files: readonly File[]
  may_return_to?: readonly number[] | undefined
}

const many = (files: readonly File[], kind: string) => files.filter((file) => file.kind === kind).length
const distinct = (values: readonly string[]) => new Set(values).size === values.length

/** Which files may be the payload of a release, and how many. */
const carries: Record<Parts['type'], (files: readonly File[]) => true | string> = {
  file: (files) => many(files, 'payload') > 0 || 'A file release needs at least one payload',
  zip_archive: (files) => many(files, 'archive') === 1 || 'An archive release needs exactly one archive',
  rootfs: (files) => many(files, 'rootfs') === 1 || 'A rootfs release needs exactly one image',
  bundle: (files) => many(files, 'bundle') === 1 || 'A bundle release needs exactly one bundle',
}

/** The rules of a manifest across fields; shared with the form that creates one. */
export const consistent = (manifest: Parts): true | string => {
  const { files, hooks, type } = manifest
  const places = files.flatMap((file) => (file.install_location === null ? [] : [file.install_location]))
  const hookHashes = Object.values(hooks).filter((hash) => hash !== null)
  if (Date.parse(manifest.expires_at) <= Date.parse(manifest.created_at)) return 'A manifest must expire after it was created'
  if (!(Date.parse(manifest.expires_at) > 0)) return 'A manifest must have an expiry'
  if (manifest.may_return_to?.some((version) => version >= manifest.version)) return 'A release returns to older versions only'
  if (!distinct(files.map((file) => file.name))) return 'File names must be unique'
  if (!distinct(places)) return 'Install locations must be unique'
  if (places.some((place) => places.some((other) => other.startsWith(`${place}/`))))
    return 'One install location is inside another'
  if (files.some((file) => (file.kind === 'payload' || file.kind === 'archive') && file.install_location === null))
    return 'A payload and an archive need an install location'
  if (!hookHashes.every((hash) => files.some((file) => file.kind === 'hook' && file.sha256 === hash)))
    return 'A hook must be one of the files of kind hook'
  return carries[type](files)
}
