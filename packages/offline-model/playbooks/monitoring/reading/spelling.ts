/** What is written in haste, as it is meant: only words that the playbook itself looks for, and never what is in quotes. */

const SLIPS: [RegExp, string][] = [
  [/\b(?:wathc|wacth|watc|whatch|wach|wtach|watvh)\b/giu, 'watch'],
  [/\b(?:moniter|monitro|montior|moniotr|mointor|minitor)\b/giu, 'monitor'],
  [/\b(?:evry|evrey|eveyr|ervery|evey|evrery|ever)(?=\s+(?:\d|min|hour|day|sec|weekday|other|half))/giu, 'every'],
  [/\b(?:latncy|latnecy|lateny|latancy|latencey|laterncy|latecy|latemcy)\b/giu, 'latency'],
  [/\b(?:chekc|cehck|chck|chcek|hceck)\b/giu, 'check'],
  [/\b(?:erorr|eror|errror|erro|errer)(s?)\b/giu, 'error$1'],
  [/\berr(?:or)?s?\.?\s+(?=rates?\b|ratios?\b)/giu, 'error '],
  [/\b(?:minuts|mintues|minites|minues|mins\.)(?=\W|$)/giu, 'minutes'],
  [/\b(?:minut|mintue|minite)\b/giu, 'minute'],
  [/\b(?:secounds|secnds|seonds)\b/giu, 'seconds'],
  [/\b(?:treshold|threshhold|treshhold|theshold|thresold)\b/giu, 'threshold'],
  [/\b(?:puase|pasue|pauze)\b/giu, 'pause'],
  [/\b(?:resum|reusme|resmue)\b/giu, 'resume'],
  [/\b(?:ciritcal|crticial|critcal|critial|citical)\b/giu, 'critical'],
  [/\b(?:notifiy|notfiy|notifi)\b/giu, 'notify'],
  [/\b(?:serivces|servces|sevices|serivce)\b/giu, 'services'],
  [/\b(?:isntead|insted|intead)\b/giu, 'instead'],
  [/\b(?:waht|wht)\b/giu, 'what'],
  [/\b(?:pls|plz|plase|pleas)\b/giu, 'please'],
  [/\bu\b(?=\s+(?:find|found|watch|see|check|tell|look)\w*)/giu, 'you'],
  [/\b(?:thx|tnx|ty)\b/giu, 'thanks'],
];
const QUOTED = /("[^"\n]*"|“[^”\n]*”|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|‘[^’\n]*’|«[^»\n]*»)/u;

export function corrected(text: string): string {
  return text
    .split(QUOTED)
    .map((piece, index) =>
      index % 2 === 1 ? piece : SLIPS.reduce((rest, [slip, meant]) => rest.replaceAll(slip, meant), piece),
    )
    .join('');
}
