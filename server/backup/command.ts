import { readConfig } from '../core/config'
import { backUp } from './back-up'
import { restore } from './restore'

/** `backup FOLDER` and `restore FOLDER`, with the variables of the installation. Returns the exit code. */
export const runBackupCommand = async (command: 'backup' | 'restore', folder: string | undefined): Promise<number> => {
  if (folder === undefined || folder === '') throw new Error(`${command}: name the folder of the backup`)
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  const config = readConfig()
  if (command === 'restore') {
    await restore(config, folder, say)
    say('restored')
    return 0
  }
  const { tables, files, lost } = await backUp(config, folder, say)
  say(`backed up: ${tables.length} tables, ${files.length} files`)
  return lost.length === 0 ? 0 : 1
}
