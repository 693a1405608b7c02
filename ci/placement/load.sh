#!/usr/bin/env bash
# Loads site/placement/inventory.json of a rendered tree into OpenStack Placement: hosts are resource providers, clusters are consumers, and who
# has a host is an allocation. It can be run again at any time: what is as it should be is not written.
#
#   PLACEMENT_URL=https://placement.example.org PLACEMENT_TOKEN=... load.sh [--dry-run] [--max-lost N] --site NAME inventory.json
#
# PLACEMENT_TOKEN_FILE is a file with the token, PLACEMENT_CACERT one with the certificates to trust. Only resource providers named
# sipgen/NAME/... and consumers of the user sipgen/NAME are written, and of those nothing but sipgen's resource class and traits. A cluster
# with a host that somebody else claims in Placement gets nothing new; the others go on. More than N hosts freed or removed, or a tenth of
# them or 2 where N is not given, and nothing is written.
#
# Exit codes: 0 done, 1 a finding (with --dry-run a difference too), 2 an error. Changes go to stdout, everything else to stderr.
set -euo pipefail
export LC_ALL=C
umask 077

die() { printf 'load.sh: %s\n' "$*" >&2; exit 2; }
usage() { die "$* (usage: load.sh [--dry-run] [--max-lost N] --site NAME FILE)"; }

site='' file='' lost='' dry=false
while [ $# -gt 0 ]; do
  case $1 in
  --site) site=${2-}; shift 2 || usage "--site: want the Site's name" ;;
  --max-lost) lost=${2-}; shift 2 || usage "--max-lost: want a number" ;;
  --dry-run) dry=true; shift ;;
  -*) usage "$1: unknown option" ;;
  *) [ -z "$file" ] || usage "$1: want one file"; file=$1; shift ;;
  esac
done
[[ $site =~ ^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$ ]] || usage "--site: want the Site's name"
[[ -z $lost || $lost =~ ^[0-9]{1,6}$ ]] || usage "--max-lost: want a number"
[ -n "$file" ] || usage 'want site/placement/inventory.json of a tree'
for program in curl jq; do command -v "$program" >/dev/null || die "no $program on this machine"; done

url=${PLACEMENT_URL:-}
[[ $url =~ ^https?://[][A-Za-z0-9.:_-]+(/[A-Za-z0-9._/-]*)?$ ]] || die 'PLACEMENT_URL: want the URL of Placement, as in https://placement.example.org, without user and query'
url=${url%/}
if [ -n "${PLACEMENT_TOKEN_FILE:-}" ]; then
  token=$(cat -- "$PLACEMENT_TOKEN_FILE") || die 'PLACEMENT_TOKEN_FILE: cannot be read'
else
  token=${PLACEMENT_TOKEN:-}
fi
[[ $token =~ ^[!-~]+$ ]] || die 'PLACEMENT_TOKEN: want a token, as of "openstack token issue -f value -c id"'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# In a file, since everybody on the machine sees arguments.
printf 'X-Auth-Token: %s\nOpenStack-API-Version: placement 1.38\nAccept: application/json\nContent-Type: application/json\n' "$token" >"$work/headers"
unset token PLACEMENT_TOKEN

# call sends the requests of a file, {method, path, body} line by line, many of them some side by side, and writes for each {method, path,
# code, reply} and what else the request had to the file replies.
call() {
  local requests=$1 shards=1 mark shard why
  : >"$work/replies"
  [ -s "$requests" ] || return 0
  [ "$(wc -l <"$requests")" -le 40 ] || shards=4
  mark="@@$RANDOM$RANDOM$RANDOM"
  rm -rf "$work/call"
  mkdir "$work/call"
  if grep -q '"body":' "$requests"; then
    jq -c '.body' "$requests" | awk -v dir="$work/call" '$0 != "null" { name = dir "/body." NR - 1; print > name; close(name) }'
  fi
  for ((shard = 0; shard < shards; shard++)); do
    jq -rn --arg url "$url" --arg work "$work" --arg mark "$mark" --arg ca "${PLACEMENT_CACERT:-}" --argjson shard "$shard" --argjson shards "$shards" '
      def quoted: "\"" + (split("\\") | join("\\\\") | split("\"") | join("\\\"")) + "\"";
      foreach inputs as $r (-1; . + 1; select(. % $shards == $shard) | (if . >= $shards then "next" else empty end),
        "url = " + ($url + $r.path | quoted), "request = " + ($r.method | quoted), "header = " + ("@" + $work + "/headers" | quoted),
        "write-out = \"\\n\($mark) \(.) %{http_code}\\n\"", "silent", "show-error", "globoff", "proto = \"=http,https\"", "connect-timeout = 10", "max-time = 300",
        (if $ca != "" then "cacert = " + ($ca | quoted) else empty end),
        (if $r.body != null then "data-binary = " + ("@\($work)/call/body.\(.)" | quoted) else empty end))' "$requests" >"$work/call/config.$shard"
    curl -q -K "$work/call/config.$shard" >"$work/call/answers.$shard" 2>"$work/call/errors.$shard" &
  done
  wait
  cat "$work/call"/answers.* | jq -Rcn --arg mark "$mark " --slurpfile requests "$requests" '
    foreach inputs as $line ({text: []};
      if $line | startswith($mark) then ($line[$mark | length:] / " ") as [$i, $code]
        | {text: [], out: ($requests[$i | tonumber] + {code: ($code | tonumber), reply: (.text | join("\n") | try fromjson catch null)} | del(.body))}
      else {text: (.text + [$line])} end;
      .out // empty)' >"$work/replies"
  why=$(jq -rn --slurpfile requests "$requests" '[inputs.code] | if length < ($requests | length) or any(. == 0) then "unreachable"
    elif any(. == 401 or . == 403) then "the token may not do this (HTTP 401 or 403)" else "" end' "$work/replies")
  [ "$why" != unreachable ] || why=$(cat "$work/call"/errors.* | sort -u | head -n 1)
  [ -z "$why" ] || die "Placement at $url: $why"
}

# ask calls with GET requests, and ends the run if one has no answer. What is not there may be missing where that is said.
ask() {
  call "$1"
  local failed
  failed=$(jq -rn --arg missing "${2:-}" 'first(inputs | select((.code != 200 or .reply == null) and (.code != 404 or $missing == ""))) | "\(.method) \(.path): HTTP \(.code)"' "$work/replies")
  [ -z "$failed" ] || die "Placement at $url: $failed"
}

# get prints the answer to one GET request. Paths are of this script.
get() { printf '{"method":"GET","path":"%s"}\n' "$1" >"$work/requests" && ask "$work/requests" && jq -c '.reply' "$work/replies"; }

# --- the file: nothing in it is believed that has not the form that sipgen gives it
[ -f "$file" ] || die "$file: no such file"
[ "$(wc -c <"$file")" -le 67108864 ] || die "$file: more than 64 MiB"
jq -se 'length == 1 and (.[0] | type == "object")' "$file" >/dev/null 2>&1 || die "$file: found something else than one JSON object"
jq -r --arg site "$site" '
  def uuid: type == "string" and test("\\A[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\z");
  def pair: type == "string" and length <= 320 and test("\\A[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-a-z0-9.]*[a-z0-9])?\\z");
  def trait: type == "string" and length <= 255 and test("\\ACUSTOM_SIPGEN_[A-Z0-9_]+\\z");
  def has_only($names): type == "object" and keys == ($names | sort);
  def shown: tojson | if length > 80 then .[:80] + "..." else . end;
  def twice: group_by(.) | map(select(length > 1) | .[0]) | .[];
  def wrong($where; $want): "\($where): found \(shown), want \($want)";
  if .format != 1 then .format | wrong("format"; "1") else
  ((keys - ["about", "consumers", "format", "inventories", "microversion", "resource_class", "resource_providers", "site", "traits"])[] | "\(shown): not a field of this format"),
  (select(.site != $site) | .site | wrong("site"; $site)),
  (select(.microversion != "1.38") | .microversion | wrong("microversion"; "1.38")),
  (select(.resource_class != "CUSTOM_SIPGEN_HOST") | .resource_class | wrong("resource_class"; "CUSTOM_SIPGEN_HOST")),
  (select(.inventories != {CUSTOM_SIPGEN_HOST: {total: 1, reserved: 0, min_unit: 1, max_unit: 1, step_size: 1, allocation_ratio: 1}})
    | .inventories | wrong("inventories"; "one that can be claimed once")),
  if ([.traits, .resource_providers, .consumers] | any(type != "array")) then "traits, resource_providers, consumers: want lists" else
  (.traits | to_entries[] | select(.value | trait | not) | .key as $i | .value | wrong("traits[\($i)]"; "CUSTOM_SIPGEN_...")),
  (INDEX(.traits[]; tostring) as $traits | .resource_providers | to_entries[] | "resource_providers[\(.key)]" as $at | .value |
    if (has_only(["host", "provider", "traits"]) and (.provider | has_only(["name", "uuid"])) and (.traits | type == "array")) | not then wrong($at; "host, provider and traits") else
    (select(.host | pair | not) | .host | wrong($at + ".host"; "namespace/name")),
    (select(.provider.uuid | uuid | not) | .provider.uuid | wrong($at + ".provider.uuid"; "a UUID of version 5")),
    ("sipgen/\($site)/\(.host)" as $name | "~\(.provider.uuid)" as $tail | .provider.name
      | select(. != $name and (type == "string" and length == 200 and endswith($tail) and ($tail as $e | .[:200 - ($e | length)] as $begin | $name | startswith($begin)) | not))
      | wrong($at + ".provider.name"; $name)),
    (.traits[] | select(trait | not) | wrong($at + ".traits"; "CUSTOM_SIPGEN_...")),
    (.traits[] | select(trait and ($traits[.] | not)) | wrong($at + ".traits"; "one of traits")) end),
  (INDEX(.resource_providers[]?; .provider?.uuid? | tostring) as $known | .consumers | to_entries[] | "consumers[\(.key)]" as $at | .value |
    if (has_only(["body", "cluster", "uuid"]) and (.body | has_only(["allocations", "consumer_type", "project_id", "user_id"])) and (.body.allocations | type == "object")) | not
    then wrong($at; "body, cluster and uuid") else
    (select(.cluster | pair | not) | .cluster | wrong($at + ".cluster"; "namespace/name")),
    (select(.uuid | uuid | not) | .uuid | wrong($at + ".uuid"; "a UUID of version 5")),
    (select(.body.consumer_type != "SIPCLUSTER") | .body.consumer_type | wrong($at + ".body.consumer_type"; "SIPCLUSTER")),
    ("\($site)/\(.cluster | tostring | split("/")[0])" as $project | select(.body.project_id != $project) | .body.project_id | wrong($at + ".body.project_id"; $project)),
    (select(.body.user_id != "sipgen/\($site)") | .body.user_id | wrong($at + ".body.user_id"; "sipgen/\($site)")),
    (.body.allocations | to_entries[] | select($known[.key] | not) | .key | wrong($at + ".body.allocations"; "one of resource_providers")),
    (.body.allocations | to_entries[] | select(.value != {resources: {CUSTOM_SIPGEN_HOST: 1}}) | .value | wrong($at + ".body.allocations"; "one CUSTOM_SIPGEN_HOST")) end),
  ([.resource_providers[]?.provider?.uuid?, .consumers[]?.uuid?] | twice | "\(shown): a UUID that stands there twice"),
  ([.resource_providers[]?.provider?.name?] | twice | "\(shown): a name that stands there twice"),
  ([.consumers[]?.body?.allocations? | objects | keys[]] | twice | "\(shown): two clusters claim it")
  end end' "$file" >"$work/problems" || die "$file: not of the form that sipgen renders"
if [ -s "$work/problems" ]; then
  head -n 20 "$work/problems" | tr -c '[:print:]\n' '?' | while IFS= read -r line; do printf 'load.sh: %s: %s\n' "$file" "$line" >&2; done
  exit 2
fi
jq -c . "$file" >"$work/file.json"

# --- what Placement has
get / >"$work/root"
jq -e '[.versions[]?.max_version | split(".") | map(tonumber) | .[0] * 1000 + .[1]] | max >= 1038' "$work/root" >/dev/null ||
  die "Placement at $url: older than microversion 1.38 (OpenStack Xena)"

# read_state reads what Placement has into all.json (every resource provider), traits.json, classes.json and state.json: of each resource
# provider of the site generation, inventories, traits and allocations, of each consumer its allocations and whose it is. A site has too many
# hosts to ask for each. Who can be claimed once more, and who has a trait, is one question for all of them; who a cluster has, one for each
# cluster. Only those are asked for by themselves whose answers are not what the file says.
read_state() {
  get /resource_providers | jq -c '.resource_providers | map({uuid, name, generation})' >"$work/all.json"
  get '/traits?name=startswith:CUSTOM_SIPGEN_' | jq -c '.traits' >"$work/traits.json"
  get /resource_classes | jq -c '.resource_classes | map(.name)' >"$work/classes.json"
  echo '{}' >"$work/free.json"
  if jq -e 'index("CUSTOM_SIPGEN_HOST")' "$work/classes.json" >/dev/null; then
    get '/allocation_candidates?resources=CUSTOM_SIPGEN_HOST:1' | jq -c '.provider_summaries | map_values({traits} + .resources.CUSTOM_SIPGEN_HOST)' >"$work/free.json"
  fi
  jq -c '.[] | {method: "GET", path: "/resource_providers?required=\(.)", trait: .}' "$work/traits.json" >"$work/requests"
  ask "$work/requests"
  jq -cn 'reduce inputs as $r ({}; reduce $r.reply.resource_providers[].uuid as $p (.; .[$p] += [$r.trait]))' "$work/replies" >"$work/bearers.json"
  jq -c '.consumers[].uuid | {method: "GET", path: "/allocations/\(.)", id: .}' "$work/file.json" >"$work/requests"
  ask "$work/requests"
  jq -cn 'reduce inputs as $r ({}; .[$r.id] = $r.reply)' "$work/replies" >"$work/consumers.json"
  jq -cn --arg prefix "sipgen/$site/" --slurpfile file "$work/file.json" --slurpfile all "$work/all.json" --slurpfile free "$work/free.json" \
    --slurpfile bearers "$work/bearers.json" --slurpfile consumers "$work/consumers.json" '
    INDEX($file[0].resource_providers[]; .provider.uuid) as $wanted
    | (reduce ($consumers[0] | to_entries[]) as $c ({}; reduce ($c.value.allocations | to_entries[] | select(.value.resources.CUSTOM_SIPGEN_HOST)) as $a (.;
        .[$a.key][$c.key] = ($a.value | {resources})))) as $claims
    | {consumers: $consumers[0], providers: (reduce ($all[0][] | select(.name | startswith($prefix))) as $p ({}; $p.uuid as $id
      | $free[0][$id] as $free | ($claims[$id] // {}) as $mine | $wanted[$id] as $want
      | if $want and (($bearers[0][$id] // []) | sort) == $want.traits and
          (if $free then $free.capacity == 1 and $free.used == 0 and $mine == {} else $mine != {} end)
        then .[$id] = {generation: $p.generation, inventories: $file[0].inventories, traits: $want.traits, allocations: $mine}
        else .[$id] = {unread: true} end))}' >"$work/state.json"
  jq -c '.providers | to_entries[] | select(.value.unread) | .key as $id | ("inventories", "traits", "allocations")
    | {method: "GET", path: "/resource_providers/\($id)/\(.)", id: $id, what: .}' "$work/state.json" >"$work/requests"
  # One may have been deleted since: the next round knows.
  ask "$work/requests" missing
  jq -cn --slurpfile state "$work/state.json" '
    reduce (inputs | select(.code == 200)) as $r ($state[0]; .providers[$r.id] |= (del(.unread) + {generation: $r.reply.resource_provider_generation, ($r.what): $r.reply[$r.what]}))
    | .providers |= with_entries(select(.value.unread | not))' "$work/replies" >"$work/state.next"
  mv "$work/state.next" "$work/state.json"
  jq -c '.consumers as $known | [.providers[].allocations | keys[]] | unique[] | select($known[.] | not) | {method: "GET", path: "/allocations/\(.)", id: .}' "$work/state.json" >"$work/requests"
  ask "$work/requests"
  jq -cn --slurpfile state "$work/state.json" 'reduce inputs as $r ($state[0]; .consumers[$r.id] = $r.reply)' "$work/replies" >"$work/state.next"
  mv "$work/state.next" "$work/state.json"
}

# plan prints what is to be written, in its order, {method, path, body, does, step}, and what cannot be, {finding}.
plan() {
  jq -cn --arg site "$site" --slurpfile file "$work/file.json" --slurpfile all "$work/all.json" --slurpfile state "$work/state.json" \
    --slurpfile traits "$work/traits.json" --slurpfile classes "$work/classes.json" '
    "CUSTOM_SIPGEN_HOST" as $class | "sipgen/\($site)" as $user | $file[0] as $file | $state[0] as $state
    | INDEX($file.resource_providers[]; .provider.uuid) as $wanted
    | INDEX($all[0][]; .uuid) as $there | INDEX($all[0][]; .name) as $named
    | ([$all[0][] | select(.name | startswith($user + "/"))] | INDEX(.uuid)) as $own
    | (def host: $wanted[.].host // ($own[.].name | ltrimstr($user + "/"));
      # Hosts whose row in Placement is not the site'"'"'s.
      ([$file.resource_providers[].provider | . as $p
        | if $there[.uuid] and $there[.uuid].name != .name then "its UUID \(.uuid) is in use by another resource provider"
          elif $named[.name] and $named[.name].uuid != .uuid then "its name \(.name) is in use by another resource provider" else empty end
        | {key: $p.uuid, value: .}] | from_entries) as $blocked
    | ($state.consumers | map_values(select((.allocations | length) > 0) | .user_id == $user)) as $ours
    # Who has a host now: consumers of the site, and others.
    | (reduce ($state.providers | to_entries[] | select($own[.key])) as $p ({};
        reduce ($p.value.allocations | to_entries[] | select(.value.resources[$class])) as $a (.; .[$p.key] += [$a.key]))) as $holders
    | (reduce ($holders | to_entries[]) as $h ({}; reduce ($h.value[] | select($ours[.])) as $c (.; .[$c][$h.key] = true))) as $now
    | ($holders | map_values(map(select($ours[.] | not)) | select(length > 0) | .[0])) as $foreign
    | (INDEX($file.consumers[]; .uuid)) as $claims
    | ([($claims | keys[]), ($now | keys[])] | unique) as $consumers
    | (reduce $consumers[] as $c ({}; .[$c] = ($claims[$c].cluster // "consumer \($c)"))) as $called
    # A cluster with a host that it cannot have gets nothing new.
    | (reduce ($file.consumers[] | . as $c | .body.allocations | keys | map(
          if $blocked[.] then "\(host): \($blocked[.])"
          elif $foreign[.] then "\(host) is claimed by consumer \($foreign[.]) of project \($state.consumers[$foreign[.]].project_id | tojson), which is not sipgen'"'"'s"
          else empty end) + (if $ours[$c.uuid] == false then ["its consumer \($c.uuid) has been made that of user \($state.consumers[$c.uuid].user_id | tojson)"] else [] end)
        | select(length > 0) | {key: $c.uuid, value: .}) as $b ({}; .[$b.key] = $b.value)) as $bad
    | (reduce $consumers[] as $c ({}; .[$c] = (($claims[$c].body.allocations // {}) | map_values(true)
        | if $bad[$c] then with_entries(select($now[$c][.key])) else . end))) as $target
    | [$consumers[] | select($ours[.] != false) | . as $c | select(($now[$c] // {}) != $target[$c] or ($ours[$c] and $claims[$c] and
        ($state.consumers[$c] | {project_id, consumer_type}) != ($claims[$c].body | {project_id, consumer_type})))] as $changed
    # A host goes from one cluster to another in one transaction, so these are one group.
    | (reduce ($changed[] | . as $c | $target[$c] | keys[] | ($holders[.] // [])[] | select(. != $c and $ours[.]) | [$c, .]) as [$c, $d]
        (reduce $changed[] as $c ({}; .[$c] = $c); .[$c] as $to | .[$d] as $from | map_values(if . == $from then $to else . end))) as $group
    | (def body($c): ($state.consumers[$c] // {}) as $is
        # What others made the consumer allocate stays.
        | (($is.allocations // {}) | with_entries(.key as $p | .value |= {resources: (.resources | if $own[$p] then del(.[$class]) else . end)} | select(.value.resources | length > 0))) as $rest
        | ($claims[$c].body // $is | {project_id, user_id, consumer_type})
        + {consumer_generation: $is.consumer_generation, allocations: (reduce ($target[$c] | keys[]) as $p ($rest; .[$p].resources[$class] = 1))};
      def does($c): ((($now[$c] // {}) | keys) as $was | ($target[$c] | keys) as $is
        | ($was - $is | map("free \($called[$c]) \(host)")) + ($is - $was | map("claim \($called[$c]) \(host)")) | if . == [] then ["mend \($called[$c])"] else . end);
      ($blocked | to_entries[] | {finding: "\(.key | host): \(.value): it is left alone"}),
      ($bad | to_entries[] | {finding: "\($called[.key]): \(.value | join("; ")): the cluster gets nothing new"}),
      ($foreign | to_entries[] | select($own[.key] and ($wanted[.key] | not)) | {finding: "\(.key | host): not in the tree any more, and claimed by consumer \(.value), which is not sipgen'"'"'s: it stays"}),
      (select($classes[0] | index($class) | not) | {method: "PUT", path: "/resource_classes/\($class)", does: ["add resource class \($class)"], step: 0}),
      (($file.traits - $traits[0])[] | {method: "PUT", path: "/traits/\(.)", does: ["add trait \(.)"], step: 0}),
      ($file.resource_providers[] | . as $p | .provider.uuid as $id | select($blocked[$id] | not)
        | ($state.providers[$id] // {generation: 0, inventories: {}, traits: []}) as $is
        | ($is.traits | map(select(startswith("CUSTOM_SIPGEN_") | not)) + $p.traits | unique) as $traits
        | ($is.inventories[$class] != $file.inventories[$class]) as $inventory
        | (if $there[$id] then empty else {method: "POST", path: "/resource_providers", body: $p.provider, does: ["add \($p.host)"], step: 1} end),
          (if $inventory then {method: "PUT", path: "/resource_providers/\($id)/inventories", step: 2, does: (if $there[$id] then ["mend \($p.host): inventory"] else [] end),
            body: {resource_provider_generation: $is.generation, inventories: ($is.inventories + $file.inventories)}} else empty end),
          (if ($is.traits | sort) != $traits then {method: "PUT", path: "/resource_providers/\($id)/traits", step: 3, does: (if $there[$id] then ["mend \($p.host): traits"] else [] end),
            body: {resource_provider_generation: ($is.generation + (if $inventory then 1 else 0 end)), traits: $traits}} else empty end)),
      ($changed | group_by($group[.])[] | if length == 1 then .[0] as $c | {method: "PUT", path: "/allocations/\($c)", body: body($c)}
          else {method: "POST", path: "/allocations", body: (map({key: ., value: body(.)}) | from_entries)} end
        + {step: 4, does: map(does(.)[])}),
      ($own | keys[] | select($wanted[.] | not) | select($foreign[.] | not)
        | if ($state.providers[.].inventories // {} | keys) - [$class] != [] then {finding: "\(host): not in the tree any more, and it has inventories that are not sipgen'"'"'s: it stays"}
          else {method: "DELETE", path: "/resource_providers/\(.)", does: ["remove \(host)"], step: 5} end),
      {counts: {
        claimed: ([$now[] | keys[]] | length), freed: ([$now[] | keys[]] - [$target[] | keys[]] | length),
        there: ($own | length), removed: ([$own | keys[] | select($wanted[.] | not)] | length)}}))'
}

# --- rounds: read, compare, write what differs, until nothing does. What somebody else changed in between is refused by Placement, by its
# generation, and read again.
for round in 1 2 3 4 5 6 7 8; do
  read_state
  plan >"$work/plan"
  jq -c 'select(.method)' "$work/plan" >"$work/writes"
  if [ "$round" = 1 ]; then
    jq -r --arg lost "$lost" 'select(.counts) | .counts
      | def most($n): if $lost != "" then $lost | tonumber else [2, ($n / 10 | floor)] | max end;
      (select(.freed > most(.claimed)) | "\(.freed) of \(.claimed) claims would be freed, more than \(most(.claimed))"),
      (select(.removed > most(.there)) | "\(.removed) of \(.there) hosts would be removed, more than \(most(.there))")' "$work/plan" >"$work/brake"
    if [ -s "$work/brake" ]; then
      die "$site: $(paste -sd ';' "$work/brake" | sed 's/;/; /g'): nothing was written; if that is meant, give --max-lost"
    fi
    if $dry; then jq -r '.does[]' "$work/writes"; break; fi
  fi
  [ -s "$work/writes" ] || break
  : >"$work/done"
  for step in 0 1 2 3 4 5; do
    jq -c --argjson step "$step" 'select(.step == $step)' "$work/writes" >"$work/requests"
    call "$work/requests"
    cat "$work/replies" >>"$work/done"
  done
  jq -r 'select(.code < 300) | .does[]' "$work/done"
  # 409 is a conflict: of generations, or with somebody who was faster. Both are seen in the next round.
  jq -e 'select(.code < 300 or .code == 409)' "$work/done" >/dev/null || break
  if jq -e 'select(.code == 409)' "$work/done" >/dev/null; then sleep "0.$((RANDOM % 5))$round"; fi
done

jq -r 'select(.finding) | .finding' "$work/plan" >"$work/findings"
if ! $dry && [ -s "$work/writes" ]; then
  jq -r 'select(.code >= 300) | "\(.does[0] // .path): HTTP \(.code): \(.reply.errors[0].detail? // "" | tostring | gsub("[^ -~]+"; " ") | .[:300])"' "$work/done" >>"$work/findings"
  [ -s "$work/findings" ] || echo "Placement keeps changing: not done after $round rounds" >>"$work/findings"
fi
while IFS= read -r line; do printf 'load.sh: %s\n' "$line" >&2; done <"$work/findings"
jq -r '"load.sh: \(.site): \(.resource_providers | length) hosts, \(.consumers | length) clusters, \([.consumers[].body.allocations | length] | add // 0) claims"' "$work/file.json" >&2
if [ -s "$work/findings" ] || { $dry && [ -s "$work/writes" ]; }; then exit 1; fi
