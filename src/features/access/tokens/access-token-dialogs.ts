/** The dialogs for access tokens, in one chunk: they share most of their parts. */
export { AddAccessTokenDialog } from './add-access-token-dialog'
export { RotateAccessTokenDialog } from './rotate-access-token-dialog'
