/** What a status says, apart from its words. `quiet` is for shapes that stand for nothing yet. */
export type Kind = 'success' | 'error' | 'info' | 'warning' | 'neutral' | 'quiet'

export type TagColor = 'stone' | 'clay' | 'ochre' | 'moss' | 'fern' | 'lagoon' | 'sky' | 'iris' | 'bloom' | 'rose'
