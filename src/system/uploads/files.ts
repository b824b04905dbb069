/** Files by the id of their upload: a chart's context is JSON and contains no files. */
export type Files = Map<string, File>
