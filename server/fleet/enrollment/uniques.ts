/** What a refusal says when one of these constraints of the table is broken. */
export const enrollmentTokenUniques = new Map([
  [
    'enrollment_tokens_authority',
    { field: 'certificate_pem', code: 'taken', message: 'The project lists this authority already' },
  ],
])
