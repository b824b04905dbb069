/** Files live here, under the id of their upload: a chart carries facts that can be JSON, not files. */
export type Files = Map<string, File>
