import type { Plugin } from 'vite'

export declare const labelsOf: (source: string) => Set<string>
export declare const staticLabels: (folder: string) => Plugin
