import type { SettingsSection } from '../../route.ts';

/** `found`: what is there, in words that somebody may look for it by. */
export const sections: readonly { id: SettingsSection; name: string; found: string }[] = [
  { id: 'model', name: 'Model', found: 'provider, key, limits' },
  { id: 'models', name: 'On this device', found: 'local models, offline' },
  { id: 'approvals', name: 'Approvals', found: 'what was allowed for good' },
  { id: 'usage', name: 'Usage', found: 'tokens, cost, budgets' },
  { id: 'tokens', name: 'Tokens', found: 'command line, devices' },
  { id: 'storage', name: 'Storage', found: 'export, copies, password, remove' },
  { id: 'privacy', name: 'Privacy', found: 'keys, recovery phrase' },
  { id: 'appearance', name: 'Appearance', found: 'theme, install, notifications' },
  { id: 'account', name: 'Account', found: 'sign out, password, heartbeat, titles' },
  { id: 'about', name: 'About', found: 'version, licence' },
];
