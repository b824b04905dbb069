/** What a refusal says when one of these constraints of the table is broken. */
export const deviceUniques = new Map([
  ['devices_project_name', { field: 'name', code: 'taken', message: 'A device with this name exists already' }],
  [
    'devices_project_serial',
    { field: 'serial_number', code: 'taken', message: 'A device with this serial number exists already' },
  ],
])
