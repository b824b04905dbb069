/** What a refusal says when one of these constraints of the table is broken. */
export const artifactUniques = new Map([
  ['bundle_artifacts_name', { field: 'file_name', code: 'taken', message: 'A file with this name is already in the bundle' }],
])
