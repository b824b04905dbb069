/** What a refusal says when one of these constraints of the table is broken. */
export const accessTokenUniques = new Map([
  ['access_tokens_name', { field: 'name', code: 'taken', message: 'Another access token has this name' }],
])
