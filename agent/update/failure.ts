import type { FailureCode } from '../../contract/device/update-events'

/** Why an update cannot go on, with the code that the server gets. */
export class UpdateFailure extends Error {
  override readonly name = 'UpdateFailure'
  readonly code: FailureCode
  constructor(code: FailureCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The server asked to stop, and nothing was written yet. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}

/** The server has found its copy of a file damaged: nothing is wrong with this device, and the file may come back. */
export class Withheld extends Error {
  override readonly name = 'Withheld'
}

const isNoSpace = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Any error as a failure: a full disk keeps its own code, whatever step met it. */
export const failureOf = (error: unknown, code: FailureCode): UpdateFailure => {
  if (error instanceof UpdateFailure) return error
  const message = error instanceof Error ? error.message : String(error)
  return new UpdateFailure(isNoSpace(error) ? 'no_space' : code, message)
}
