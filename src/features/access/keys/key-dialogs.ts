/** The dialogs for signing keys, in one chunk: each of them is small. */
export { AddKeyDialog } from './add-key-dialog'
export { KeyCoverageDialog } from './key-coverage-dialog'
export { RetireKeyDialog, RevokeKeyDialog } from './revoke-key-dialog'
