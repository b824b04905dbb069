/** §9: a single file is at most 3.5 GiB. */
export const maxUploadBytes = 3_758_096_384
/** §5: the text of a role that is not listed. */
export const maxCustomRole = 100
/** The limit of one JSON body. */
export const maxBodyBytes = 1_048_576
export const listLimit = { default: 50, max: 200 } as const
/** Entries of an audit chain in one answer. */
export const maxAuditChainPage = 1000
/** `total` is exact up to this and null beyond. */
export const exactTotal = 1000
/** Sent to users who can free disk space, while there is too little of it (F-19). */
export const lowSpaceHeader = 'X-Low-Disk-Space'
/** §9: where a device keeps data that may be lost. */
export const temporaryDirectory = '/tmp'
/** The only definition of the product's name and slug (R17). */
export const product = { name: 'Teasel', slug: 'teasel' } as const
