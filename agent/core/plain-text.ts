// The sequences of terminals for colours and the like (ECMA-48, 5.4).
// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const sequences = /\u001b\[[0-?]*[ -/]*[@-~]/g
// oxlint-disable-next-line no-control-regex -- as above
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/** Text of programs in the form that the contract accepts: at most so many units, without control characters except breaks and tabs. */
export const plainText = (text: string, most: number): string =>
  text.replace(sequences, '').replace(control, '\ufffd').slice(0, most).toWellFormed()
