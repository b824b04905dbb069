const taken = { field: 'name', code: 'taken', message: 'A project with this name exists already' }

/** What a refusal says when one of these constraints of the table is broken. */
export const projectUniques = new Map([
  ['projects_organization_name', taken],
  ['projects_owner_name', taken],
])
