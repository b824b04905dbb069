import { readConfig } from '../core/config'
import { backUp } from './back-up'
import { restore } from './restore'

/** `backup FOLDER` and `restore FOLDER`, with the variables of the installation. */
export const runBackupCommand = async (command: 'backup' | 'restore', folder: string | undefined): Promise<void> => {
  if (folder === undefined || folder === '') throw new Error(`${command}: name the folder of the backup`)
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  const config = readConfig()
  if (command === 'restore') {
    await restore(config, folder, say)
    say('restored')
    return
  }
  const { tables, files } = await backUp(config, folder, say)
  say(`backed up: ${tables.length} tables, ${files.length} files`)
}
