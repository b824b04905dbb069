/** The object store failed or did not answer: nothing is known about the stored bytes. */
export class StorageError extends Error {
  override name = 'StorageError'
}
