/** The meaning of a status, apart from its word. `quiet` is for shapes without a meaning yet. */
export type Kind = 'success' | 'error' | 'info' | 'warning' | 'neutral' | 'quiet'

export type TagColor = 'stone' | 'clay' | 'ochre' | 'moss' | 'fern' | 'lagoon' | 'sky' | 'iris' | 'bloom' | 'rose'
