import fc from 'fast-check'
import { isFull } from './counts'

/**
 * Imported by tests with random input: the same input in every run, or a new one in the full run, whose failures print their
 * seed.
 */
if (!isFull) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_122 })
