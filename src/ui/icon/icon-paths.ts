/**
 * Box 16, stroke 1.4, round, never filled: one path each. Each icon has one meaning, and never shows a status (shapes do).
 * These are the icons of the first screen and its placeholders; the others load with the first part that is not on it.
 */
export const paths = {
  search: 'M2.75 7a4.25 4.25 0 1 0 8.5 0a4.25 4.25 0 1 0 -8.5 0zM10.2 10.2 13.5 13.5',
  plus: 'M8 3v10M3 8h10',
  x: 'M4 4l8 8M12 4l-8 8',
  check: 'M3.5 8.5l3 3 6-7',
  down: 'M4 6l4 4 4-4',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  copy: 'M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1 -1 1h-6a1 1 0 0 1 -1 -1v-6a1 1 0 0 1 1 -1zM10.5 5.5v-3h-8v8h3',
  compass: 'M2.25 8a5.75 5.75 0 1 0 11.5 0a5.75 5.75 0 1 0 -11.5 0zM10.5 5.5l-1.6 3.4-3.4 1.6 1.6-3.4z',
  user: 'M5.3 5.5a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0 -5.4 0zM2.8 13.8c.5-2.8 2.5-4.2 5.2-4.2s4.7 1.4 5.2 4.2',
  org: 'M3 13.5v-11h6v11M9 6.5h4v7M1.8 13.5h12.4M5.2 5.5h1.6M5.2 8.5h1.6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
} as const
