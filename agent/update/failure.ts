import type { FailureCode } from '../../contract/device/update-events'

/** Why an update cannot continue, with the code for the server. */
export class UpdateFailure extends Error {
  override readonly name = 'UpdateFailure'
  readonly code: FailureCode
  constructor(code: FailureCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The server asked to stop, and nothing was installed yet. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}

/** The release cannot be installed on a device like this one, which says nothing about the release. */
export class NotForDevice extends Error {
  override readonly name = 'NotForDevice'
}

/** The server's copy of a file is damaged: nothing is wrong with this device, and the file may become available again. */
export class FileUnavailable extends Error {
  override readonly name = 'Withheld'
}

export const isNoSpace = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Any error as a failure: a full disk keeps its own code in every step. */
export const failureOf = (error: unknown, code: FailureCode): UpdateFailure => {
  if (error instanceof UpdateFailure) return error
  const message = error instanceof Error ? error.message : String(error)
  return new UpdateFailure(isNoSpace(error) ? 'no_space' : code, message)
}
