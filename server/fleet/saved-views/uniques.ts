/** What a refusal says when one of these constraints of the table is broken. */
export const savedViewUniques = new Map([
  ['saved_views_owner_name', { field: 'name', code: 'taken', message: 'You have a view with this name already' }],
])
