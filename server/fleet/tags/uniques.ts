/** What a refusal says when one of these constraints of the table is broken. */
export const tagUniques = new Map([
  ['tags_project_name', { field: 'name', code: 'taken', message: 'A tag with this name exists already' }],
])
