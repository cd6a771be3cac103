import { type JSX, Match, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import { Tabs } from '../../parts/tabs.tsx';
import type { SettingsSection } from '../../route.ts';
import { ViewHead } from '../shell/view-head.tsx';
import { ApprovalPolicySettings } from './approval-policy.tsx';
import { ApprovalSettings } from './approvals.tsx';
import { ChangePassword } from './change-password.tsx';
import { HeartbeatSettings } from './heartbeat.tsx';
import { LocalModelSettings } from './local-models.tsx';
import { ModelForm } from './model-form.tsx';
import { AboutSettings, AccountSettings, AppearanceSettings, AppSettings } from './personal.tsx';
import { PrivacySettings } from './privacy.tsx';
import { PushContact } from './push-contact.tsx';
import { PushSettings } from './push-settings.tsx';
import { Section } from './section.tsx';
import { sections } from './sections.ts';
import { StorageSettings } from './storage.tsx';
import { TitlesSettings } from './titles.tsx';
import { TokenSettings } from './tokens.tsx';
import { UsageSettings } from './usage.tsx';

export function SettingsView(): JSX.Element {
  const { router, notices } = usePage();
  const section = (): SettingsSection => {
    const route = router.route();
    return route.view === 'settings' ? route.section : 'model';
  };
  return (
    <main class="view" id="main">
      <ViewHead title="Settings" />
      <Tabs
        label="Settings"
        tabs={sections.map(({ id, name }) => ({ href: `/settings/${id}`, name, current: section() === id }))}
      />
      <div class="view-body narrow">
        <Switch>
          <Match when={section() === 'model'}>
            <Section
              title="Model"
              text="The language model that every conversation uses. The key is sealed in this browser, and is never shown again."
            >
              <ModelForm
                saveLabel="Save"
                limits
                onSaved={() => notices.good('The model settings are saved.')}
              />
            </Section>
          </Match>
          <Match when={section() === 'models'}>
            <LocalModelSettings />
          </Match>
          <Match when={section() === 'approvals'}>
            <Section
              title="When GSV asks"
              text="An agent’s question comes in its conversation, before it acts."
            >
              <ApprovalPolicySettings />
            </Section>
            <Section
              title="Approvals remembered"
              text="What GSV does without asking, because you said “Remember”. Each one can be taken back."
            >
              <ApprovalSettings />
            </Section>
          </Match>
          <Match when={section() === 'usage'}>
            <UsageSettings />
          </Match>
          <Match when={section() === 'tokens'}>
            <Section
              title="Tokens"
              text="Keys for devices and for the command line. Only their beginning is kept here; a token that is lost is revoked and made anew."
            >
              <TokenSettings />
            </Section>
          </Match>
          <Match when={section() === 'storage'}>
            <StorageSettings />
          </Match>
          <Match when={section() === 'privacy'}>
            <PrivacySettings />
          </Match>
          <Match when={section() === 'appearance'}>
            <Section title="Appearance" text="How this browser shows the page.">
              <AppearanceSettings />
            </Section>
            <Section title="As an app" text="GSV can stand among the apps of this device.">
              <AppSettings />
            </Section>
            <Section title="While GSV is closed" text="Whether this browser is told of news then.">
              <PushSettings />
              <PushContact />
            </Section>
          </Match>
          <Match when={section() === 'account'}>
            <Section title="Account" text="Who is signed in here.">
              <AccountSettings />
            </Section>
            <Section
              title="Password"
              text="It opens GSV in this browser when you are signed out, or locked out."
            >
              <ChangePassword />
            </Section>
            <Section title="Heartbeat" text="What GSV does without being asked.">
              <HeartbeatSettings />
            </Section>
            <Section
              title="Titles"
              text="A short question to your model of a few words, once for each conversation. A name that you give stays, and a conversation kept on this device is never asked about."
            >
              <TitlesSettings />
            </Section>
          </Match>
          <Match when={section() === 'about'}>
            <Section
              title="About"
              text="A personal agent that lives in your browser and acts on your machines."
            >
              <AboutSettings />
            </Section>
          </Match>
        </Switch>
      </div>
    </main>
  );
}
