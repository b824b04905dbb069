import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { passwordLength } from '../../../contract/accounts/account'
import { product } from '../../../contract/core/limits'

/**
 * A password that the estimator (common passwords, their variants and combinations) would find within so many guesses is
 * refused.
 */
const requiredGuesses = 1e9

// The time of one estimate grows with the length and with the ways to read digits as letters: both are bounded, because estimates
// run on the thread that answers requests. A password with a strong first part is strong as a whole.
const estimated = { maxLength: 48, l33tMaxSubstitutions: 20 } as const

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, ...estimated })
const common = new Set(dictionary['passwords-common'])

const shiftedDigits = '!@#$%^&*()'
const letterOfDigit: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's' }

const withoutSeparators = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '')
/** A keyboard walk with Shift held for some keys equals the walk without it: '1qaz@WSX' is '1qaz2wsx'. */
const withoutShift = (text: string) =>
  text.toLowerCase().replace(/[!@#$%^&*()]/g, (sign) => String((shiftedDigits.indexOf(sign) + 1) % 10))
const figuresAsLetters = (text: string) => text.replace(/[013457@$]/g, (figure) => letterOfDigit[figure] ?? '')

/** The future owner of the password: an attacker who knows the account tries these words first. */
export type PasswordOwner = { email: string; name: string }

/** Words that name the account and the product, in lower case, longest first. */
const ownWords = ({ email, name }: PasswordOwner): string[] => {
  const lower = [email, name, product.name].map((fact) => fact.toLowerCase())
  const parts = lower.flatMap((fact) => [fact, withoutSeparators(fact), ...fact.split(/[^\p{L}\p{N}]+/u)])
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const words = [...parts, local, withoutSeparators(local), domain, withoutSeparators(domain)]
  return [...new Set(words)].filter((word) => word.length >= 3).toSorted((a, b) => b.length - a.length)
}

/** Whether almost nothing is left of the password without its owner's words. */
const isOwn = (password: string, words: readonly string[]) =>
  [password.toLowerCase(), figuresAsLetters(password.toLowerCase())].some((text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ''), withoutSeparators(text))
    return rest.length < withoutSeparators(text).length && rest.length < 6
  })

const isListed = (password: string) => [password, password.toLowerCase(), withoutShift(password)].some((text) => common.has(text))

const isGuessable = (password: string, words: string[]) => {
  const variants = new Set([password, withoutSeparators(password), withoutShift(password)])
  return [...variants].some((variant) => estimator.check(variant, words).guesses < requiredGuesses)
}

/**
 * The rule for a new password: 12 to 128 characters (code points), not on a list of common ones, not composed of them, and not
 * made of the owner's name or address. No rule on kinds of characters. Returns the problem, or undefined.
 */
export const passwordProblem = (password: string, owner: PasswordOwner = { email: '', name: '' }): string | undefined => {
  const length = Array.from(password).length
  if (length < passwordLength.min) return `Password must be at least ${passwordLength.min} characters`
  if (length > passwordLength.max) return `Password must be ${passwordLength.max} characters or less`
  if (isListed(password)) return 'This password is on a list of common passwords. Choose another.'
  const words = ownWords(owner)
  if (isOwn(password, words)) return 'This password consists of your name or address. Choose another.'
  if (isGuessable(password, words)) return 'This password is easy to guess. Choose a few words that do not belong together.'
  return undefined
}
