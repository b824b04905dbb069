/** What a refusal says when one of these constraints of the table is broken. */
export const assetUniques = new Map([
  ['assets_release_name', { field: 'name', code: 'taken', message: 'A file with this name is already in the release' }],
])
